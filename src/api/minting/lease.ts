import { type Problem, invalidRequest } from '../../problem/problem.js';
import { readTime } from '../../registry/timestamp.js';

/**
 * Parses the lease of a request.
 * @returns null for an active identifier.
 * @throws Problem INVALID_REQUEST when state and lease contradict each other.
 */
export function readLease(state: 'reserved' | 'active' | undefined, leaseUntil: string | undefined): Date | null {
  if (state === 'reserved' && leaseUntil === undefined)
    throw wrongLease('leaseUntil is required for a reserved identifier');
  if (leaseUntil === undefined) return null;
  if (state !== 'reserved') throw wrongLease('leaseUntil is permitted only with "state": "reserved"');
  return readTime(leaseUntil, '/leaseUntil');
}

function wrongLease(detail: string): Problem {
  return invalidRequest('/leaseUntil', detail);
}
