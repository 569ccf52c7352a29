import { upperAscii, recognize } from '../identifier/index.js';
import { Problem } from '../problem/problem.js';
import { type CanonicalName, comparisonOf } from './canonical-name.js';
import { type IdentifierRecord, identifierOf, nativeText } from './identifier-record.js';
import type { Address } from './naming-authority-snapshot.js';

// Keys have 16 octets of SHA-256, so two names can have one key, although none such are known. After each hit the names
// themselves are compared (decision 63).

/** Whether a stored canonical text denotes the name by whose key it was found. */
export function denotes(stored: string, { canonical, comparison, foldsCase }: CanonicalName): boolean {
  return stored === canonical || comparisonsOf(stored, foldsCase).includes(comparison);
}

/** Whether a stored local name is the one by whose key it was found. A GUID is compared by the database. */
export function isAt(localName: string, { guid, comparison, foldsCase }: Address): boolean {
  return guid !== null || (foldsCase ? upperAscii(localName) : localName) === comparison;
}

/**
 * Whether a stored metadata ID is the identifier by whose key it was found. Letters are compared without their case: a
 * record does not contain the rule of its naming authority.
 */
export function isMetadataIdOf(
  stored: string,
  record: Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName'>,
): boolean {
  if (stored === `hdl:${nativeText(record)}`) return true;
  return comparisonsOf(stored, true).includes(comparisonOf(identifierOf(record), true));
}

/** A name that cannot be registered, because another one has its key. */
export function keyCollision(pointer: string): Problem {
  const detail = 'has the same comparison key as another name, so that it cannot be registered';
  return new Problem('KEY_COLLISION', `The name ${detail}.`, { errors: [{ pointer, detail }] });
}

/** The texts by which a stored name is compared; a Handle that can be a CORDRA identifier has two. */
function comparisonsOf(stored: string, foldsCase: boolean): string[] {
  return [true, false].flatMap((anyLocalName) => {
    const read = recognize(stored, { anyLocalName: () => anyLocalName });
    return read.ok ? [comparisonOf(read.value.name, foldsCase)] : [];
  });
}
