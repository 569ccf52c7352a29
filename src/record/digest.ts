import { hash } from 'node:crypto';

/**
 * SHA-256 as 64 lower-case hexadecimal digits. A text and not octets: texts are compared and collected as they are, while
 * a buffer for each of several digests of every row is what a batch spent most of its garbage collection on.
 */
export type Digest = string;

/** @returns the digest of a text in UTF-8. */
export function digestOf(text: string): Digest {
  return hash('sha256', text, 'hex');
}

/** A digest as PostgreSQL reads a `bytea` (PostgreSQL 8.4.1). */
export function bytea(digest: Digest): string {
  return `\\x${digest}`;
}
