import { v1, v4, v7 } from 'uuid';
import type { UuidVersion } from './naming-authority.js';

/**
 * Where new GUIDs come from (CID-11): random ones by default, so that nothing can be read out of them (CID-12, R-06). A
 * class, so that a test can inject one that repeats itself.
 */
export class GuidSource {
  /** @returns a UUID of the version in its hyphenated form; version 1 has a random node, so that it names no machine. */
  next(version: UuidVersion): string {
    if (version === 7) return v7();
    return version === 1 ? v1() : v4();
  }
}
