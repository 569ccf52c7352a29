import { Problem } from '../problem/problem.js';
import type { Amendment } from './identifier-changes.js';
import { type IdentifierRecord, type State, nativeText } from './identifier-record.js';

/** What can be done to an identifier, and in which states. A withdrawn one is left alone until it is reinstated. */
const STEPS = {
  changed: ['reserved', 'active'],
  activated: ['reserved'],
  released: ['reserved'],
  withdrawn: ['reserved', 'active'],
  reinstated: ['withdrawn'],
} as const satisfies Record<string, readonly State[]>;

export type Step = keyof typeof STEPS;

/** Why an identifier is withdrawn whose reservation was given up. */
const RELEASED_REASON = 'The reservation was released.';

/** Nobody relied on what was only reserved, so what it held is free for others; its GUID is not. */
const GIVEN_UP = { metadata: null, alternates: [], leaseUntil: null } as const;

/** @throws Problem WRONG_STATE */
export function requireState(record: IdentifierRecord, step: Step): void {
  const allowed: readonly State[] = STEPS[step];
  if (allowed.includes(record.state)) return;
  const why = record.tombstone === null ? '' : ` (${record.tombstone.reason})`;
  throw new Problem(
    'WRONG_STATE',
    `${nativeText(record)} is ${record.state}${why}; only what is ${allowed.join(' or ')} can be ${step}.`,
  );
}

/** From reserved to active. */
export function activation(): Amendment {
  return { kind: 'activated', state: 'active', leaseUntil: null };
}

/** The end of a reservation by the will of who holds it. */
export function release(at: Date): Amendment {
  const tombstone = { withdrawnAt: at, reason: RELEASED_REASON, replacedBy: null };
  return { kind: 'released', state: 'withdrawn', ...GIVEN_UP, tombstone };
}

/** The end of an identifier. An active one keeps what it held, so that it can come back whole. */
export function withdrawal({ state }: IdentifierRecord, reason: string, replacedBy: string | null): Amendment {
  const tombstone = { withdrawnAt: new Date(), reason, replacedBy };
  return { kind: 'withdrawn', state: 'withdrawn', ...(state === 'reserved' && GIVEN_UP), tombstone };
}

/** From withdrawn to active. */
export function reinstatement(): Amendment {
  return { kind: 'reinstated', state: 'active', tombstone: null };
}
