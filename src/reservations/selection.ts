import type { ProblemCode } from '../problem/catalogue.js';
import { Problem, malformed } from '../problem/problem.js';
import { type IdentifierRecord, identifierOf, nativeText } from '../record/identifier-record.js';
import type { KnownAuthorities } from '../record/known-authorities.js';

/** One identifier that a request for a reservation means. */
export interface Selected {
  /** `NA/local`, or what was sent where it is no member. */
  readonly identifier: string;
  /** The member of the reservation; or why there is none to act on. */
  readonly member: bigint | Problem;
}

/**
 * Finds the members of a reservation that a request names.
 * @param texts identifiers in any spelling; undefined for all members.
 */
export function select(
  members: readonly IdentifierRecord[],
  texts: readonly string[] | undefined,
  known: KnownAuthorities,
): Selected[] {
  if (texts === undefined) return members.map((member) => ({ identifier: nativeText(member), member: member.id }));
  const byKey = new Map(members.map((member) => [known.storedName(identifierOf(member)).key, member]));
  const seen = new Set<bigint>();
  return texts.map((text, index) => {
    const pointer = `/identifiers/${index}`;
    const read = known.readName(text);
    if (!read.ok) return { identifier: text, member: malformed(read.fault, pointer) };
    const member = byKey.get(read.value.key);
    if (member === undefined) {
      return { identifier: text, member: refusal('IDENTIFIER_NOT_FOUND', 'is not part of this reservation', pointer) };
    }
    const identifier = nativeText(member);
    if (seen.has(member.id)) {
      return { identifier, member: refusal('DUPLICATE_IN_REQUEST', 'stands in the list before', pointer) };
    }
    seen.add(member.id);
    return { identifier, member: member.id };
  });
}

/** The same list free of spellings, for comparing requests. */
export function selectionMeaning(texts: readonly string[] | undefined, known: KnownAuthorities): unknown {
  return texts?.map((text) => {
    const read = known.readName(text);
    return read.ok ? read.value.key : { malformed: text };
  });
}

function refusal(code: ProblemCode, detail: string, pointer: string): Problem {
  return new Problem(code, `The identifier ${detail}.`, { errors: [{ pointer, detail }] });
}
