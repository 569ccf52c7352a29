import { v1, v4, v7 } from 'uuid';
import type { UuidVersion } from './naming-authority.js';

/** Generates GUIDs (CID-11), random by default, so that they reveal nothing (CID-12, R-06). */
export class GuidGenerator {
  /** @returns a UUID with hyphens. Version 1 has a random node, so that it identifies no machine. */
  next(version: UuidVersion): string {
    if (version === 7) return v7();
    return version === 1 ? v1() : v4();
  }
}
