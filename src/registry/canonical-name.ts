import type { Digest } from './digest.js';

/** Longest canonical spelling that is stored, in octets: a Handle of 4096 octets with every octet escaped, and room. */
export const MAX_STORED_OCTETS = 16_384;

/** Longest local name that is registered, in octets of UTF-8; the database has the same limit. */
export const MAX_LOCAL_NAME_OCTETS = 8192;

/** A metadata ID or an alternate identifier as it is stored. */
export interface CanonicalName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` for Fedora names, `urn:uuid:…` for UUIDs. */
  readonly canonical: string;
  /**
   * Digest of the comparison key. Spellings of one name have one key; a key of fixed length fits any index and
   * is compared byte by byte.
   */
  readonly key: Digest;
}
