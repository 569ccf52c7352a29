import { createHash } from 'node:crypto';
import {
  type Name,
  type Resolver,
  type Result,
  canonicalUri,
  comparisonKey,
  recognize,
  registryKey,
  toCordraId,
} from '../identifier/index.js';

/** Longest canonical spelling that is stored, in octets: a Handle of 4096 octets with every octet escaped, and room. */
export const MAX_STORED_OCTETS = 16_384;

/** A metadata ID or an alternate identifier as it is stored. */
export interface StoredName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` for Fedora names, `urn:uuid:…` for UUIDs. */
  readonly canonical: string;
  /**
   * SHA-256 of the comparison key. Spellings of one name have one key; a key of fixed length fits any index and
   * is compared byte by byte.
   */
  readonly key: Uint8Array<ArrayBuffer>;
}

/** Reads a name in any spelling. */
export function readStoredName(text: string, resolver: Resolver): Result<{ name: Name } & StoredName> {
  const read = recognize(text, { resolver });
  if (!read.ok) return read;
  const { name } = read.value;
  return { ...read, value: { name, ...storedName(name) } };
}

/** A name as it is stored. The key of a CORDRA identifier leaves out its query and fragment: they name no other record. */
export function storedName(name: Name): StoredName {
  const named = name.type === 'cordra' ? toCordraId(registryKey(name)) : name;
  const key = createHash('sha256').update(comparisonKey(named)).digest();
  return { canonical: canonicalUri(name), key: new Uint8Array(key) };
}
