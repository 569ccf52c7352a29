import { type Name, formatHandle, registryKey } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import type { KnownAuthorities } from './known-authorities.js';
import { MAX_STORED_OCTETS, type StoredName } from './stored-name.js';

/**
 * Reads a metadata ID in any spelling.
 * @throws Problem with a syntax code, or INVALID_REQUEST when it is too long to be kept.
 */
export function readMetadataId(text: string, known: KnownAuthorities, pointer: string): StoredName & { name: Name } {
  const read = known.readName(text);
  if (!read.ok) throw malformed(read.fault, pointer);
  if (read.value.name.type === 'uuid') {
    const detail = 'a UUID alone does not say under which naming authority the record is; send the whole identifier';
    throw malformed({ code: 'MISSING_SEPARATOR', detail, offset: text.length, rule: 'CID-04' }, pointer);
  }
  return { ...requireStorable(read.value, pointer), name: read.value.name };
}

/** Reads alternate identifiers in any spelling; one that stands twice, in whatever spelling, is kept once. */
export function readAlternates(texts: readonly string[], known: KnownAuthorities, pointer: string): StoredName[] {
  const names = new Map<string, StoredName>();
  texts.forEach((text, index) => {
    const read = known.readName(text);
    if (!read.ok) throw malformed(read.fault, `${pointer}/${index}`);
    const name = requireStorable(read.value, `${pointer}/${index}`);
    if (!names.has(name.key)) names.set(name.key, name);
  });
  return [...names.values()];
}

/** A name as a tombstone tells what to use instead: `NA/local` for Handles and CORDRA identifiers, canonical for others. */
export function replacementText(name: Name, canonical: string): string {
  if (name.type === 'handle') return formatHandle(name);
  // A query or a fragment names no other identifier.
  return name.type === 'cordra' ? registryKey(name) : canonical;
}

/**
 * An object and the record that describes it are two things (CID-24); a query or fragment does not make two identifiers
 * two.
 * @throws Problem METADATA_ID_IS_IDENTIFIER
 */
export function requireTwoThings(ownKey: StoredName['key'] | null, metadata: StoredName | null, pointer: string): void {
  if (ownKey === null || ownKey !== metadata?.key) return;
  const detail = 'the record that describes an object is another thing than the object (CID-24)';
  throw new Problem('METADATA_ID_IS_IDENTIFIER', detail, { errors: [{ pointer, detail }] });
}

function requireStorable({ canonical, key }: StoredName, pointer: string): StoredName {
  if (canonical.length <= MAX_STORED_OCTETS) return { canonical, key };
  const detail = `in canonical spelling it has ${canonical.length} octets, and at most ${MAX_STORED_OCTETS} are kept`;
  throw new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}
