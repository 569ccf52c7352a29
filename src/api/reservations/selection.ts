import type { ProblemCode } from '../../problem/catalogue.js';
import { Problem, malformed } from '../../problem/problem.js';
import { type IdentifierRecord, identifierOf, nativeText } from '../../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';

/** One identifier that a request for a reservation means. */
export interface Selected {
  /** `NA/local`, or the text of the request where it is not a member. */
  readonly identifier: string;
  /** The member, or the reason why there is none. */
  readonly member: bigint | Problem;
}

/**
 * Finds the requested members of a reservation.
 * @param texts identifiers in any form; undefined for all members.
 */
export function select(
  members: readonly IdentifierRecord[],
  texts: readonly string[] | undefined,
  known: NamingAuthoritySnapshot,
): Selected[] {
  if (texts === undefined) return members.map((member) => ({ identifier: nativeText(member), member: member.id }));
  const byKey = new Map(members.map((member) => [known.canonicalName(identifierOf(member)).key, member]));
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
      return { identifier, member: refusal('DUPLICATE_IN_REQUEST', 'is repeated in the list', pointer) };
    }
    seen.add(member.id);
    return { identifier, member: member.id };
  });
}

/** The same list in canonical form, for the fingerprint. */
export function canonicalMembers(texts: readonly string[] | undefined, known: NamingAuthoritySnapshot): unknown {
  return texts?.map((text) => {
    const read = known.readName(text);
    return read.ok ? read.value.key : { malformed: text };
  });
}

function refusal(code: ProblemCode, detail: string, pointer: string): Problem {
  return new Problem(code, `The identifier ${detail}.`, { errors: [{ pointer, detail }] });
}
