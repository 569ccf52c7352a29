import { Problem } from '../problem/problem.js';
import type { ChangeKind } from './change.js';
import type { CanonicalName } from './canonical-name.js';
import { type IdentifierRecord, type MutableAttributes, type State, nativeText } from './identifier-record.js';

/** The permitted states of each step. */
const STEPS = {
  changed: ['reserved', 'active'],
  activated: ['reserved'],
  released: ['reserved'],
  withdrawn: ['reserved', 'active'],
  reinstated: ['withdrawn'],
} as const satisfies Record<string, readonly State[]>;

export type Step = keyof typeof STEPS;

const RELEASED_REASON = 'The reservation was released.';

/** A released reservation frees its metadata ID and alternates, but not its GUID. */
const GIVEN_UP = { metadata: null, alternates: [], leaseUntil: null } as const;

/** @throws Problem WRONG_STATE */
export function requireState(record: IdentifierRecord, step: Step): void {
  const allowed: readonly State[] = STEPS[step];
  if (allowed.includes(record.state)) return;
  const why = record.tombstone === null ? '' : ` (${record.tombstone.reason})`;
  throw new Problem(
    'WRONG_STATE',
    `${nativeText(record)} is ${record.state}${why}; only an identifier that is ${allowed.join(' or ')} can be ${step}.`,
  );
}

export function activation(): Amendment {
  return { kind: 'activated', state: 'active', leaseUntil: null };
}

/** Releases a reservation at the time of the change. */
export function release(at: Date): Amendment {
  const tombstone = { withdrawnAt: at, reason: RELEASED_REASON, replacedBy: null };
  return { kind: 'released', state: 'withdrawn', ...GIVEN_UP, tombstone };
}

/** Withdraws an identifier at the time of the change. An active one keeps its values for a reinstatement. */
export function withdrawal(
  { state }: IdentifierRecord,
  at: Date,
  reason: string,
  replacedBy: string | null,
): Amendment {
  const tombstone = { withdrawnAt: at, reason, replacedBy };
  return { kind: 'withdrawn', state: 'withdrawn', ...(state === 'reserved' && GIVEN_UP), tombstone };
}

export function reinstatement(): Amendment {
  return { kind: 'reinstated', state: 'active', tombstone: null };
}

/** A change of an identifier. An absent member keeps its value. */
export interface Amendment {
  readonly kind: ChangeKind;
  readonly metadata?: CanonicalName | null;
  readonly target?: string | null;
  readonly alternates?: readonly CanonicalName[];
  readonly state?: MutableAttributes['state'];
  readonly leaseUntil?: Date | null;
  readonly tombstone?: MutableAttributes['tombstone'];
}
