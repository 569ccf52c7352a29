import {
  type Name,
  canonicalUri,
  comparisonKey,
  formatHandle,
  recognize,
  registryKey,
  toCordraId,
} from '@mintmark/identifier';
import { upperAscii } from './upper-ascii.js';
import { type Digest, digestOf } from './uuid.js';

/** Maximum bytes of a stored canonical text: enough for the scheme and a Handle of 4096 bytes that are all escaped. */
export const MAX_STORED_BYTES = 16_384;

/** Maximum characters of a notation of an identifier: enough for a scheme and the longest Handle with all bytes escaped. */
export const MAX_NOTATION_LENGTH = 32_768;

/** Maximum bytes of a local name in UTF-8; the database has the same limit. */
export const MAX_LOCAL_NAME_BYTES = 8192;

/** Whether a text is longer than any local name. */
export function isLongLocalName(text: string): boolean {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  return text.length * 3 > MAX_LOCAL_NAME_BYTES && Buffer.byteLength(text) > MAX_LOCAL_NAME_BYTES;
}

/** How names with the same key are compared: by GUID, or by local name, with or without regard to the case of ASCII letters (HS-05). */
export type NameRule = 'guid' | 'folded' | 'exact';

/** A name by which a record refers to something, such as its metadata ID or an alternate, as stored. */
export interface CanonicalName {
  /** `hdl:` + Handle for Handles and CORDRA identifiers, `info:fedora/…` or `urn:uuid:…`; the text itself for an opaque metadata ID. */
  readonly canonical: string;
  /** The text that is compared after a hit. It is equal for all notations of one name. */
  readonly comparison: string;
  readonly rule: NameRule;
  /**
   * The digest by which names are found: of the CORDRA identifier if the Handle can be read as one, otherwise of the comparison text by the
   * case rule for keys. The digest depends neither on the profile of the naming authority nor on the principal, but for other Handles on
   * whether the naming authority ignores case. Until the naming authority is created, the default of its prefix applies.
   */
  readonly key: Digest;
  /** Whether the key ignores the case of ASCII letters in the local name; null if no rule of a naming authority decides this. */
  readonly keyFoldsCase: boolean | null;
  /** Whether the name is valid only under the profile "handle". */
  readonly needsHandle: boolean;
}

/** What is known about the naming authority of a name. */
export interface Folding {
  /** Whether names are compared without regard to the case of ASCII letters. */
  readonly foldsCase: boolean;
  /** `foldsCase` for keys, if it differs. */
  readonly keyFoldsCase?: boolean;
  /** Whether the profile is unknown. A Handle that can be a CORDRA identifier is then compared as one. */
  readonly isForeign?: boolean;
  /** Whether the naming authority exists with the profile "cordra", although it may be hidden. */
  readonly isCordra?: boolean;
}

export function canonicalNameOf(
  name: Name,
  { foldsCase, keyFoldsCase = foldsCase, isForeign = false, isCordra = false }: Folding,
): CanonicalName {
  const guidKey = guidKeyOf(name);
  const isGuid = name.type === 'cordra' || (isForeign && guidKey !== null);
  const comparison = (isForeign ? guidKey : null) ?? comparisonOf(name, foldsCase);
  const keyText = guidKey ?? (keyFoldsCase === foldsCase ? comparison : comparisonOf(name, keyFoldsCase));
  const rule = isGuid ? 'guid' : foldsCase ? 'folded' : 'exact';
  const ruled = name.type === 'handle' && guidKey === null ? keyFoldsCase : null;
  // A query or fragment that a CORDRA identifier cannot have makes a Handle.
  const needsHandle = name.type === 'handle' && !isCordra && (guidKey === null || /[?#]/.test(name.localName));
  return { canonical: canonicalUri(name), comparison, rule, key: digestOf(keyText), keyFoldsCase: ruled, needsHandle };
}

/** The comparison key of a stored name. The key of a CORDRA identifier excludes query and fragment. */
export function comparisonOf(name: Name, foldsCase: boolean): string {
  const named = name.type === 'cordra' ? toCordraId(registryKey(name)) : name;
  return comparisonKey(named, { caseInsensitive: foldsCase });
}

/** The canonical text of a CORDRA identifier without query and fragment. */
const PLAIN_CORDRA_ID = /^hdl:[0-9]+(?:\.[0-9]+)*\/[0-9A-F]{32}$/;

/**
 * The name from which a canonical text was made, read without the naming authorities; null if there is none, as for an opaque metadata ID.
 * 32 hexadecimal digits in upper case count as a CORDRA identifier, which has the same URIs as a Handle.
 */
export function nameInCanonical(canonical: string): Name | null {
  // `recognize` would take five times as long for this frequent form.
  if (PLAIN_CORDRA_ID.test(canonical)) return toCordraId(canonical.slice('hdl:'.length));
  const read = recognize(canonical, { charset: 'unicode' });
  if (!read.ok || canonicalUri(read.value.name) === canonical) return read.ok ? read.value.name : null;
  const other = recognize(canonical, { charset: 'unicode', namingAuthorityOf: () => ({ profile: 'handle' }) });
  return other.ok ? other.value.name : null;
}

/** A Handle that is a CORDRA identifier unless its naming authority has the profile "handle". Hyphens between the digits are permitted. */
const WITH_GUID = /^([0-9.]+)\/([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|[?#])/i;

/**
 * A Handle that can be a CORDRA identifier has the key text of the CORDRA identifier, because naming authorities can become known later,
 * and not to every principal. Two Handles can therefore have the same key, and names are compared after each hit. The database function
 * `self_key` does the same.
 */
function guidKeyOf(name: Name): string | null {
  const [, prefix, guid] = name.type === 'handle' ? (WITH_GUID.exec(formatHandle(name)) ?? []) : [];
  return prefix === undefined || guid === undefined ? null : `hdl:${prefix}/${upperAscii(guid.replaceAll('-', ''))}`;
}
