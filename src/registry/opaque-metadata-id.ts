import type { CanonicalName } from './canonical-name.js';
import { digestOf } from './uuid.js';
import type { NamingAuthoritySnapshot } from './naming-authority-snapshot.js';

export const MAX_OPAQUE_BYTES = 2048;

const CONTROL = /[\0-\x1f\x7f-\x9f]/;

/**
 * An opaque metadata ID is stored unchanged. Recognized names have comparison keys that begin with `hdl:`, `info:fedora/` or `urn:uuid:`,
 * so no opaque text can have the key of a recognized name.
 */
export function opaqueName(text: string): CanonicalName {
  const comparison = `opaque:${text}`;
  const key = digestOf(comparison);
  return { canonical: text, comparison, rule: 'exact', key, keyFoldsCase: null, needsHandle: false };
}

/** Returns why a text cannot be an opaque metadata ID, or null. */
export function opaqueFault(text: string): string | null {
  if (text === '') return 'must not be empty';
  if (!text.isWellFormed()) return 'has a surrogate without its partner, which UTF-8 does not encode';
  const { index } = CONTROL.exec(text) ?? {};
  if (index !== undefined) {
    const code = text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0');
    return `has the control character U+${code} at offset ${index}`;
  }
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_OPAQUE_BYTES ? `has ${bytes} bytes in UTF-8; at most ${MAX_OPAQUE_BYTES} are allowed` : null;
}

/** Reads a searched text as an opaque metadata ID, if possible. @param namingAuthority undefined for all naming authorities of `known`. */
export function searchedOpaqueName(
  text: string,
  known: NamingAuthoritySnapshot,
  namingAuthority?: string,
): CanonicalName | undefined {
  const isSearched =
    namingAuthority === undefined ? known.hasOpaqueMetadataIds : known.metadataIdScheme(namingAuthority) === 'any';
  return isSearched && opaqueFault(text) === null ? opaqueName(text) : undefined;
}
