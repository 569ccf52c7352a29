import type { Digest } from './digest.js';

/** Octets of the longest stored canonical text: a Handle of 4096 octets that are all escaped, and its prefix. */
export const MAX_STORED_OCTETS = 16_384;

/** Octets of UTF-8; the database has the same limit. */
export const MAX_LOCAL_NAME_OCTETS = 8192;

/** A metadata ID or an alternate identifier, as stored. */
export interface CanonicalName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` for Fedora names, `urn:uuid:…` for UUIDs. */
  readonly canonical: string;
  /** SHA-256 of the comparison key, equal for all notations of one name. */
  readonly key: Digest;
}
