import { v1, v4, v7 } from 'uuid';
import { hash } from 'node:crypto';

/** Whether a text is a UUID. Queries need this check, because PostgreSQL would raise an error for any other text. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Converts PostgreSQL's `f58fb49e-b1f8-…` to `F58FB49EB1F8…` (UUID-05). */
export function compactGuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase();
}

const LOCAL_GUID = /^([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[?#]|$)/i;

/** The GUID of a local name, in upper case. Hyphens are permitted. So is a query or fragment, which identifies no other record. */
export function guidIn(localName: string): string | undefined {
  const guid = LOCAL_GUID.exec(localName)?.[1];
  return guid === undefined ? undefined : compactGuid(guid);
}

/** Generates GUIDs (CID-11). By default they are random, and reveal nothing (CID-12, R-06). Tests can replace this class. */
export class GuidGenerator {
  /** @returns a hyphenated UUID. Version 1 has a random node, which does not identify the machine. */
  next(version: 1 | 4 | 7): string {
    if (version === 7) return v7();
    return version === 1 ? v1() : v4();
  }
}

/** The first 16 bytes of a SHA-256 in the notation of a UUID, in lower case with hyphens, as PostgreSQL writes it. */
export type Digest = string;

export function digestOf(text: string): Digest {
  return digestFrom(hash('sha256', text, 'hex'));
}

/** @param sha256 in lower-case hexadecimal digits. */
export function digestFrom(sha256: string): Digest {
  const [a, b, c, d] = [sha256.slice(0, 8), sha256.slice(8, 12), sha256.slice(12, 16), sha256.slice(16, 20)];
  return `${a}-${b}-${c}-${d}-${sha256.slice(20, 32)}`;
}
