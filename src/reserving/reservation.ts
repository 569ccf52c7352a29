import { parseNamingAuthority } from '@mintmark/identifier';
import { malformed } from '../problem/problem.js';
import { type IdentifierRecord, type State, nativeText } from '../registry/identifier-record.js';
import { readTime } from '../registry/timestamp.js';

export interface ReservationCommand {
  readonly namingAuthority: string;
  readonly count: number;
  readonly leaseUntil: Date;
}

/** @throws Problem with a syntax code, or INVALID_REQUEST for an invalid date. */
export function parseReservation({
  namingAuthority,
  count,
  leaseUntil,
}: Omit<ReservationCommand, 'leaseUntil'> & { readonly leaseUntil: string }): ReservationCommand {
  const prefix = parseNamingAuthority(namingAuthority);
  if (!prefix.ok) throw malformed(prefix.fault, '/namingAuthority');
  return { namingAuthority, count, leaseUntil: readTime(leaseUntil, '/leaseUntil') };
}

/** The state of a reservation, as represented and as stored for repeats of its request. */
export interface Reservation {
  readonly id: string;
  readonly namingAuthority: string;
  readonly createdAt: string;
  /** End of the lease of the identifiers that are still reserved; null if there are none. */
  readonly leaseUntil: string | null;
  readonly count: number;
  readonly reserved: number;
  readonly active: number;
  readonly withdrawn: number;
  /** The identifiers that are still reserved, `NA/local`. */
  readonly items: string[];
}

/** Computes the state of a reservation from its members. */
export function reservationOf(id: string, members: readonly IdentifierRecord[]): Reservation {
  const [first] = members;
  if (first === undefined) throw new TypeError('a reservation has at least one identifier');
  const counted = (state: State): number => members.filter((member) => member.state === state).length;
  const left = members.filter(({ state }) => state === 'reserved');
  return {
    id: id.toLowerCase(),
    namingAuthority: first.namingAuthority,
    createdAt: first.createdAt.toISOString(),
    leaseUntil: left[0]?.leaseUntil?.toISOString() ?? null,
    count: members.length,
    reserved: left.length,
    active: counted('active'),
    withdrawn: counted('withdrawn'),
    items: left.map(nativeText),
  };
}
