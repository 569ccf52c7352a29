import { type Name, canonicalUri, comparisonKey, formatHandle, registryKey, toCordraId } from '../identifier/index.js';
import { type Digest, digestOf } from './digest.js';

/** Octets of the longest stored canonical text: a Handle of 4096 octets that are all escaped, and its prefix. */
export const MAX_STORED_OCTETS = 16_384;

/** Octets of UTF-8; the database has the same limit. */
export const MAX_LOCAL_NAME_OCTETS = 8192;

/** A metadata ID or an alternate identifier, as stored. */
export interface CanonicalName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` for Fedora names, `urn:uuid:…` for UUIDs. */
  readonly canonical: string;
  /** The text that is compared after a hit, equal for all notations of one name. */
  readonly comparison: string;
  /** Whether the case of ASCII letters of the local name is ignored in it (HS-05). */
  readonly foldsCase: boolean;
  /** The digest of `keyTextOf`, by which names are found. */
  readonly key: Digest;
}

export function canonicalNameOf(name: Name, foldsCase: boolean): CanonicalName {
  const comparison = comparisonOf(name, foldsCase);
  return { canonical: canonicalUri(name), comparison, foldsCase, key: digestOf(keyTextOf(name, foldsCase)) };
}

/** The comparison key of a stored name. That of a CORDRA identifier excludes its query and fragment. */
export function comparisonOf(name: Name, foldsCase: boolean): string {
  const named = name.type === 'cordra' ? toCordraId(registryKey(name)) : name;
  return comparisonKey(named, { caseInsensitive: foldsCase });
}

/** A Handle that is a CORDRA identifier unless its naming authority has the profile "handle"; the digits may have hyphens. */
const WITH_GUID = /^([0-9.]+)\/([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|[?#])/i;

/**
 * The text whose digest is the key of a name. It is the same whether the service has the naming authority, whatever its profile
 * is, and whoever sends the name: 32 hexadecimal digits have no case and no hyphens in it, and no query and fragment follow.
 * Therefore two Handles can have one key, and the names are compared after each hit. The function `self_key` of the database
 * computes the same.
 */
function keyTextOf(name: Name, foldsCase: boolean): string {
  const [, prefix, guid] = name.type === 'handle' ? (WITH_GUID.exec(formatHandle(name)) ?? []) : [];
  if (prefix === undefined || guid === undefined) return comparisonOf(name, foldsCase);
  return `hdl:${prefix}/${guid.replaceAll('-', '').toUpperCase()}`;
}
