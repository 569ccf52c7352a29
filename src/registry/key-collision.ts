import { type RecognizeOptions, recognize } from '@mintmark/identifier';
import { upperAscii } from './upper-ascii.js';
import { Problem } from '../problem/problem.js';
import { type CanonicalName, type NameRule, comparisonOf } from './canonical-name.js';
import { type IdentifierRecord, identifierOf, nativeText } from './identifier-record.js';
import type { Address } from './naming-authority-snapshot.js';

// Keys are 16 bytes of SHA-256. Although no two names with the same key are known, names are compared after each hit (decision 63).

type ComparedName = Pick<CanonicalName, 'canonical' | 'comparison' | 'rule'>;

/** Whether a stored canonical text denotes the name by whose key it was found. */
export function denotes(stored: string, { canonical, comparison, rule }: ComparedName): boolean {
  return stored === canonical || comparisonIn(stored, rule) === comparison;
}

/** Whether a record has the requested name already, in any notation and with the same query and fragment (CID-18, -21); null for no name. */
export function isSameName(stored: string | null, requested: ComparedName | null): boolean {
  if (stored === null || requested === null) return stored === requested;
  if (stored === requested.canonical) return true;
  return endOf(stored, requested.rule) === endOf(requested.canonical, requested.rule) && denotes(stored, requested);
}

/** What a fingerprint has of a name that a request sets: its key, and its query and fragment, which the key of a GUID does not include. */
export function fingerprintOfName({ canonical, key, rule }: CanonicalName): unknown {
  const end = endOf(canonical, rule);
  return end === '' ? key : [key, end];
}

/** The query and fragment of a CORDRA identifier, with their "?" and "#"; empty for another name, whose key includes its whole text. */
function endOf(canonical: string, rule: CanonicalName['rule']): string {
  return rule === 'guid' ? (/\/[\da-f]{32}([?#].*)$/is.exec(canonical)?.[1] ?? '') : '';
}

/** Whether a record has the requested names already, in this order. */
export function areSameNames(stored: readonly string[], requested: readonly ComparedName[]): boolean {
  return (
    stored.length === requested.length && requested.every((name, index) => isSameName(stored[index] ?? null, name))
  );
}

/** Whether a stored local name equals the name by whose key it was found. The database has compared GUIDs. */
export function isAt(localName: string, { guid, comparison, foldsCase }: Address): boolean {
  return guid !== null || (foldsCase ? upperAscii(localName) : localName) === comparison;
}

/** Whether a stored canonical text is the name of the identifier by whose key it was found. */
export function isNameOf(
  stored: string,
  record: Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName'>,
  foldsCase: boolean,
): boolean {
  if (stored === `hdl:${nativeText(record)}`) return true;
  const rule = record.guid !== null ? 'guid' : foldsCase ? 'folded' : 'exact';
  return comparisonIn(stored, rule) === comparisonOf(identifierOf(record), foldsCase);
}

/** The problem of a name that cannot be registered, because another name has its key. */
export function keyCollision(pointer: string): Problem {
  const detail = 'has the same comparison key as another name, so that it cannot be registered';
  return new Problem('KEY_COLLISION', `The name ${detail}.`, { errors: [{ pointer, detail }] });
}

const PROFILES = {
  cordra: { namingAuthorityOf: () => ({ profile: 'cordra' }) },
  handle: { namingAuthorityOf: () => ({ profile: 'handle' }) },
} as const satisfies Record<string, RecognizeOptions>;

function comparisonIn(stored: string, rule: NameRule): string | null {
  const read = recognize(stored, rule === 'guid' ? PROFILES.cordra : PROFILES.handle);
  return read.ok ? comparisonOf(read.value.name, rule === 'folded') : null;
}
