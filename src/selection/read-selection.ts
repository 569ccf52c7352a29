import type { Caller } from '../access/caller.js';
import { parseNamingAuthority } from '../identifier/index.js';
import { malformed } from '../problem/problem.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import type { PageFilter } from '../record/page-query.js';
import type { StoredName } from '../record/stored-name.js';
import { readTime } from '../record/time.js';
import type { SelectionDto } from './selection.dto.js';

/**
 * Reads the filters of a query; what is hidden from the caller is not selected.
 * @throws Problem with a syntax code for a malformed identifier, INVALID_REQUEST for a day that does not exist.
 */
export function readSelection(query: SelectionDto, known: KnownAuthorities, caller: Caller): PageFilter {
  const { metadataId, alternateId, namingAuthority, state, target, createdAfter, createdBefore } = query;
  return {
    metadataKey: keyOf(metadataId, known, '#query/metadataId'),
    alternateKey: keyOf(alternateId, known, '#query/alternateId'),
    ...(caller.seesPart && { namingAuthorities: visiblePrefixes(known, caller) }),
    namingAuthority: namingAuthority === undefined ? undefined : prefixOf(namingAuthority, known),
    state,
    target,
    createdAfter: createdAfter === undefined ? undefined : readTime(createdAfter, '#query/createdAfter'),
    createdBefore: createdBefore === undefined ? undefined : readTime(createdBefore, '#query/createdBefore'),
  };
}

function keyOf(text: string | undefined, known: KnownAuthorities, pointer: string): StoredName['key'] | undefined {
  if (text === undefined) return undefined;
  const read = known.readName(text);
  if (!read.ok) throw malformed(read.fault, pointer);
  return read.value.key;
}

/** The naming authorities that a caller sees, where it does not see all of them. */
function visiblePrefixes(known: KnownAuthorities, caller: Caller): string[] {
  return known
    .all()
    .map(({ prefix }) => prefix)
    .filter((prefix) => caller.sees(prefix));
}

/** A prefix as it was created; ASCII letters in it have no case. */
function prefixOf(text: string, known: KnownAuthorities): string {
  const read = parseNamingAuthority(text, 'handle');
  if (!read.ok) throw malformed(read.fault, '#query/namingAuthority');
  return known.find(text)?.prefix ?? text;
}
