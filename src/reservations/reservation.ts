import { type IdentifierRecord, type State, nativeText } from '../record/identifier-record.js';
import type { ReservationDto } from './reservation-answer.dto.js';

/** Shows a reservation by its members, of which there is at least one; it has no state of its own. */
export function reservationOf(id: string, members: readonly IdentifierRecord[]): ReservationDto {
  const [first] = members;
  if (first === undefined) throw new TypeError('a reservation has members');
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
    identifiers: left.map(nativeText),
  };
}
