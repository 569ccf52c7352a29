import { v1, v4, v7 } from 'uuid';
import type { UuidVersion } from './naming-authority.js';
import { hash } from 'node:crypto';

/** Whether a text is a UUID in the notation of IDs. PostgreSQL would fail on any other text. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** `F58FB49EB1F8…` of PostgreSQL's `f58fb49e-b1f8-…` (UUID-05). */
export function compactGuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase();
}

/** GUIDs (CID-11), random by default, to reveal nothing (CID-12, R-06). A class, so that tests can replace it. */
export class GuidGenerator {
  /** @returns a hyphenated UUID of the version; version 1 has a random node, so that it names no machine. */
  next(version: UuidVersion): string {
    if (version === 7) return v7();
    return version === 1 ? v1() : v4();
  }
}

/** The first 16 bytes of a SHA-256 as the text of a UUID, in lower case with hyphens, as PostgreSQL writes one. */
export type Digest = string;

export function digestOf(text: string): Digest {
  return digestFrom(hash('sha256', text, 'hex'));
}

/** @param sha256 in hexadecimal digits of lower case. */
export function digestFrom(sha256: string): Digest {
  const [a, b, c, d] = [sha256.slice(0, 8), sha256.slice(8, 12), sha256.slice(12, 16), sha256.slice(16, 20)];
  return `${a}-${b}-${c}-${d}-${sha256.slice(20, 32)}`;
}
