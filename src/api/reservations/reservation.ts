import { type IdentifierRecord, type State, nativeText } from '../../registry/identifier-record.js';
import type { ReservationDto } from './reservation-response.dto.js';

/** The state of a reservation, computed from its members, of which there is at least one. */
export function reservationOf(id: string, members: readonly IdentifierRecord[]): ReservationDto {
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
    identifiers: left.map(nativeText),
  };
}
