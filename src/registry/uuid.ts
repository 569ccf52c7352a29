import { v1, v4, v7 } from 'uuid';
import type { UuidVersion } from './naming-authority.js';

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
