import { type Name, canonicalUri, comparisonKey, registryKey, toCordraId } from '../identifier/index.js';
import { type Digest, digestOf } from './digest.js';

/** Octets of the longest stored canonical text: a Handle of 4096 octets that are all escaped, and its prefix. */
export const MAX_STORED_OCTETS = 16_384;

/** Octets of UTF-8; the database has the same limit. */
export const MAX_LOCAL_NAME_OCTETS = 8192;

/** A metadata ID or an alternate identifier, as stored. */
export interface CanonicalName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` for Fedora names, `urn:uuid:…` for UUIDs. */
  readonly canonical: string;
  /** The comparison key, equal for all notations of one name. */
  readonly comparison: string;
  /** Whether the case of ASCII letters of the local name is ignored in it (HS-05). */
  readonly foldsCase: boolean;
  /** The digest of `comparison`, by which names are found. */
  readonly key: Digest;
}

export function canonicalNameOf(name: Name, foldsCase: boolean): CanonicalName {
  const comparison = comparisonOf(name, foldsCase);
  return { canonical: canonicalUri(name), comparison, foldsCase, key: digestOf(comparison) };
}

/** The comparison key of a stored name. That of a CORDRA identifier excludes its query and fragment. */
export function comparisonOf(name: Name, foldsCase: boolean): string {
  const named = name.type === 'cordra' ? toCordraId(registryKey(name)) : name;
  return comparisonKey(named, { caseInsensitive: foldsCase });
}
