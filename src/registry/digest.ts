import { hash } from 'node:crypto';

/** The first 16 octets of a SHA-256 as the text of a UUID, in lower case with hyphens, as PostgreSQL writes one. */
export type Digest = string;

export function digestOf(text: string): Digest {
  return digestFrom(hash('sha256', text, 'hex'));
}

/** @param sha256 in hexadecimal digits of lower case. */
export function digestFrom(sha256: string): Digest {
  const [a, b, c, d] = [sha256.slice(0, 8), sha256.slice(8, 12), sha256.slice(12, 16), sha256.slice(16, 20)];
  return `${a}-${b}-${c}-${d}-${sha256.slice(20, 32)}`;
}
