import { Problem } from '../problem/problem.js';
import { readTime } from '../record/time.js';

/**
 * Reads until when an identifier is to be reserved.
 * @returns null when it is not to be reserved.
 * @throws Problem INVALID_REQUEST when state and lease contradict each other.
 */
export function readLease(state: 'reserved' | 'active' | undefined, leaseUntil: string | undefined): Date | null {
  if (state === 'reserved' && leaseUntil === undefined) throw wrongLease('a reserved identifier needs leaseUntil');
  if (leaseUntil === undefined) return null;
  if (state !== 'reserved')
    throw wrongLease('only a reserved identifier has a lease: send "state": "reserved" with it');
  return readTime(leaseUntil, '/leaseUntil');
}

function wrongLease(detail: string): Problem {
  return new Problem('INVALID_REQUEST', detail, { errors: [{ pointer: '/leaseUntil', detail }] });
}
