import { hash } from 'node:crypto';

export type Digest = string;

export function digestOf(text: string): Digest {
  return hash('sha256', text, 'hex');
}

/** A digest in the input syntax of `bytea` (PostgreSQL 8.4.1). */
export function bytea(digest: Digest): string {
  return `\\x${digest}`;
}
