import { type Name, type SyntaxFault, canonicalUri, registryKey } from '@mintmark/identifier';
import { Problem, invalidRequest, invalidValue, malformed } from '../problem/problem.js';
import type { AlternateName } from './alternate-name.js';
import { keyCollision } from './key-collision.js';
import type { Address, NamingAuthoritySnapshot } from './naming-authority-snapshot.js';
import { MAX_STORED_BYTES, type CanonicalName } from './canonical-name.js';
import type { MetadataIdScheme } from './naming-authority.js';
import { opaqueFault, opaqueName } from './opaque-metadata-id.js';

const FITTING =
  'a metadata ID here is a CORDRA identifier, another Handle, a Fedora PID or a Fedora dissemination URI; any other text is ' +
  'accepted under a naming authority that was created with "metadataIdScheme": "any"';

/**
 * Parses a metadata ID in any form, or unchanged under the scheme "any".
 * @throws Problem with a syntax code, or INVALID_REQUEST for a text that is too long or violates the scheme "any".
 */
export function readMetadataId(
  text: string,
  known: NamingAuthoritySnapshot,
  pointer: string,
  scheme: MetadataIdScheme = 'recognized',
): CanonicalName {
  if (scheme === 'any') {
    const fault = opaqueFault(text);
    if (fault !== null) throw invalidRequest(pointer, fault, `The metadata ID ${fault}.`);
    return opaqueName(text);
  }
  requireClearEnd(text, known, pointer);
  const read = known.readName(text);
  if (!read.ok) throw unfitting(read.fault, pointer);
  const fault = partFault(read.value.name, text);
  if (fault !== null) throw unfitting(fault, pointer);
  return requireStorable(read.value, pointer);
}

function unfitting(fault: SyntaxFault, pointer: string): Problem {
  return malformed({ ...fault, detail: `${fault.detail}; ${FITTING}` }, pointer);
}

/** The identifier of another version or of a replacement. */
export interface OtherIdentifier {
  readonly canonical: string;
  /** Null if the identifier is under no visible naming authority. */
  readonly address: Address | null;
  /** Whether the naming authority is outside the restricted view of the principal. The view must not reveal whether it exists. */
  readonly isHidden: boolean;
}

/** Parses the name of another version or of a replacement in any form. @throws Problem as `readMetadataId` does. */
export function readReplacementName(
  text: string,
  known: NamingAuthoritySnapshot,
  pointer: string,
): OtherIdentifier & { readonly name: Name } {
  requireClearEnd(text, known, pointer);
  const read = known.recognize(text);
  if (!read.ok) throw malformed(read.fault, pointer);
  const { name } = read.value;
  const fault = partFault(name, text);
  if (fault !== null) throw malformed(fault, pointer);
  // A query or fragment denotes no other identifier.
  const canonical = name.type === 'cordra' ? `hdl:${registryKey(name)}` : canonicalUri(name);
  requireLength(canonical, pointer);
  const isHidden = 'namingAuthority' in name && !known.canSee(name.namingAuthority);
  return { name, canonical, address: known.locate(name), isHidden };
}

/** Called with the sent and the stored text of a name. */
export type NoteUnderstood = (pointer: string, sent: string, read: string) => void;

/** Parses alternate identifiers in any form, without duplicates. @throws Problem KEY_COLLISION, or as `readMetadataId` does. */
export function readAlternates(
  texts: readonly string[],
  known: NamingAuthoritySnapshot,
  pointer: string,
  note?: NoteUnderstood,
): AlternateName[] {
  const names = new Map<string, AlternateName>();
  texts.forEach((text, index) => {
    requireClearEnd(text, known, `${pointer}/${index}`);
    const read = known.readAlternate(text);
    if (!read.ok) throw malformed(read.fault, `${pointer}/${index}`);
    const name = requireStorable(read.value, `${pointer}/${index}`);
    note?.(`${pointer}/${index}`, text, name.canonical);
    const same = names.get(name.key);
    if (same !== undefined && same.comparison !== name.comparison) throw keyCollision(`${pointer}/${index}`);
    const here = known.placeOf(read.value.name);
    if (same === undefined) names.set(name.key, here === undefined ? name : { ...name, here });
  });
  return [...names.values()];
}

/** Rejects an identifier as its own metadata ID (CID-24, R-24). @throws Problem METADATA_ID_IS_IDENTIFIER */
export function requireTwoThings(self: CanonicalName | null, metadata: CanonicalName | null, pointer: string): void {
  if (self === null || self.comparison !== metadata?.comparison) return;
  const detail = 'an identifier cannot be its own metadata ID (CID-24)';
  throw new Problem('METADATA_ID_IS_IDENTIFIER', detail, { errors: [{ pointer, detail }] });
}

/**
 * Requires that white space at the end of a name is not part of the name. Used if nothing looks up which of the two names exists.
 * @throws Problem INVALID_REQUEST under a visible naming authority of the profile "handle", whose local names may end with white space.
 */
export function requireClearEnd(text: string, known: NamingAuthoritySnapshot, pointer: string): void {
  const exact = known.exactHandle(text);
  if (exact === null) return;
  const detail = `white space at the end can be part of the name: write ${canonicalUri(exact.name)}, or the name without it`;
  throw invalidValue(pointer, detail);
}

/** Returns why a name is only a part of an identifier; null if it is complete. */
function partFault({ type }: Name, text: string): SyntaxFault | null {
  if (type !== 'uuid') return null;
  const detail = 'a UUID without a naming authority is ambiguous; send the whole identifier';
  return { code: 'MISSING_SEPARATOR', detail, offset: text.length, rule: 'CID-04' };
}

function requireStorable(read: CanonicalName, pointer: string): CanonicalName {
  const { canonical, comparison, rule, key, keyFoldsCase, needsHandle } = read;
  requireLength(canonical, pointer);
  return { canonical, comparison, rule, key, keyFoldsCase, needsHandle };
}

function requireLength(canonical: string, pointer: string): void {
  if (canonical.length <= MAX_STORED_BYTES) return;
  const detail = `the canonical form has ${canonical.length} bytes; at most ${MAX_STORED_BYTES} are allowed`;
  throw invalidValue(pointer, detail);
}
