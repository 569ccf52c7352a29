import { v4 } from 'uuid';

/**
 * Where new GUIDs come from (CID-11): random ones, so that nothing can be read out of them (CID-12, R-06). A class, so
 * that a test can inject one that repeats itself.
 */
export class GuidSource {
  /** @returns a UUID of version 4 in its hyphenated form. */
  next(): string {
    return v4();
  }
}
