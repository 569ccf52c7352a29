import { describe, expect, it } from '@jest/globals';
import { parseReservation, reservationOf } from '../../src/reserving/reservation.js';
import { recordWith } from '../records.js';

const ID = '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10';
const LEASE = new Date('2126-11-20T09:30:00.000Z');
const guidOf = (n: number) => n.toString(16).toUpperCase().padStart(32, '0');
const member = (n: number, state: 'reserved' | 'active' | 'withdrawn' = 'reserved') =>
  recordWith({
    ...{ id: BigInt(n), guid: guidOf(n), localName: guidOf(n), state },
    leaseUntil: state === 'reserved' ? LEASE : null,
  });

describe('parsing a reservation', () => {
  const request = { namingAuthority: '100.102', count: 3, leaseUntil: '2126-11-20T10:30:00+01:00' };

  it('reads the time with its offset', () => {
    expect(parseReservation(request)).toEqual({ namingAuthority: '100.102', count: 3, leaseUntil: LEASE });
  });

  it.each([
    [{ namingAuthority: '100..102' }, /^INVALID_NAMING_AUTHORITY/],
    [
      { leaseUntil: '2126-02-30T00:00:00Z' },
      /^INVALID_REQUEST: \/leaseUntil: "2126-02-30T00:00:00Z" is not a calendar date/,
    ],
  ])('rejects %j', (members, rejection) => {
    expect(() => parseReservation({ ...request, ...members })).toThrow(rejection);
  });
});

describe('the state of a reservation', () => {
  it('counts its members by state, and lists those that are left', () => {
    const members = [member(1, 'active'), member(2), member(3, 'withdrawn'), member(4)];
    expect(reservationOf(ID.toUpperCase(), members)).toEqual({
      ...{
        id: ID,
        namingAuthority: '100.102',
        createdAt: '1970-01-01T00:00:00.000Z',
        leaseUntil: '2126-11-20T09:30:00.000Z',
      },
      ...{ count: 4, reserved: 2, active: 1, withdrawn: 1 },
      items: [`100.102/${guidOf(2)}`, `100.102/${guidOf(4)}`],
    });
    expect(reservationOf(ID, [member(1, 'active')]).leaseUntil).toBeNull();
  });
});
