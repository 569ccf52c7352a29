import type { ProblemCode } from '../problem/catalogue.js';
import { Problem, malformed, type StoredProblem, deserializeProblem, serializeProblem } from '../problem/problem.js';
import { type IdentifierRecord, identifierOf, nativeText } from '../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';

export type Settlement = 'activated' | 'released';

export interface SettlementCommand {
  readonly id: string;
  readonly pointer: string;
  readonly settlement: Settlement;
  /** Identifiers in any form; undefined for all members. */
  readonly items: readonly string[] | undefined;
}

export interface SettledItem {
  /** `NA/local`, or the text of the request if the text names no member. */
  readonly identifier: string;
  /** Why the identifier was skipped, or null. */
  readonly problem: Problem | null;
}

/** The results for the identifiers of a command, in the order of the command. */
export interface SettlementReport {
  readonly id: string;
  readonly settlement: Settlement;
  readonly items: readonly SettledItem[];
}

export interface Selected {
  /** `NA/local`, or the text of the request if the text names no member. */
  readonly identifier: string;
  readonly member: bigint | Problem;
}

/** Finds the requested members, in any form; all members if `texts` is undefined. */
export function select(
  members: readonly IdentifierRecord[],
  texts: readonly string[] | undefined,
  known: NamingAuthoritySnapshot,
): Selected[] {
  if (texts === undefined) return members.map((member) => ({ identifier: nativeText(member), member: member.id }));
  const byName = new Map(members.map((member) => [known.canonicalName(identifierOf(member)).comparison, member]));
  const seen = new Set<bigint>();
  return texts.map((text, index) => {
    const pointer = `/items/${index}`;
    const read = known.readName(text);
    if (!read.ok) return { identifier: text, member: malformed(read.fault, pointer) };
    const member = byName.get(read.value.comparison);
    if (member === undefined) {
      return { identifier: text, member: rejection('NOT_IN_RESERVATION', 'is not part of this reservation', pointer) };
    }
    const identifier = nativeText(member);
    if (seen.has(member.id)) {
      return { identifier, member: rejection('DUPLICATE_IN_REQUEST', 'is repeated in the list', pointer) };
    }
    seen.add(member.id);
    return { identifier, member: member.id };
  });
}

/** The source of a fingerprint, equal for two notations of the same request. */
export function fingerprintSource(
  { id, settlement, items }: Omit<SettlementCommand, 'pointer'>,
  known: NamingAuthoritySnapshot,
): object {
  const canonical = items?.map((text) => {
    const read = known.readName(text);
    return read.ok ? read.value.comparison : { malformed: text };
  });
  return { [settlement]: id.toLowerCase(), items: canonical };
}

function rejection(code: ProblemCode, detail: string, pointer: string): Problem {
  return new Problem(code, `The identifier ${detail}.`, { errors: [{ pointer, detail }] });
}

export interface StoredItem {
  readonly identifier: string;
  readonly problem?: StoredProblem;
}

export function serializeItem({ identifier, problem }: SettledItem): StoredItem {
  return problem === null ? { identifier } : { identifier, problem: serializeProblem(problem) };
}

export function deserializeItem({ identifier, problem }: StoredItem): SettledItem {
  return { identifier, problem: problem === undefined ? null : deserializeProblem(problem) };
}
