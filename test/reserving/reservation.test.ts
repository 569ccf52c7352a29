import { describe, expect, it } from '@jest/globals';
import { parseReservation, reservationOf } from '../../src/reserving/reservation.js';
import { presentReport } from '../../src/api/reservations/reservation-response.dto.js';
import { deserializeItem, fingerprintSource, select, serializeItem } from '../../src/reserving/settlement.js';
import { Problem } from '../../src/problem/problem.js';
import { KNOWN, recordWith } from '../records.js';

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

describe('selecting members', () => {
  const members = [member(1), member(2)];
  const selected = (texts: readonly string[] | undefined) =>
    select(members, texts, KNOWN).map((item) => [
      item.identifier,
      item.member instanceof Problem ? item.member.code : item.member,
    ]);

  it('finds all of them without a list', () => {
    expect(selected(undefined)).toEqual([
      [`100.102/${guidOf(1)}`, 1n],
      [`100.102/${guidOf(2)}`, 2n],
    ]);
  });

  it('finds a member in any form, and says why another text is none', () => {
    expect(selected([`hdl:100.102/${guidOf(2)}`, `100.102/${guidOf(2)}`, `100.102/${guidOf(9)}`, 'a b'])).toEqual([
      [`100.102/${guidOf(2)}`, 2n],
      [`100.102/${guidOf(2)}`, 'DUPLICATE_IN_REQUEST'],
      [`100.102/${guidOf(9)}`, 'NOT_IN_RESERVATION'],
      ['a b', 'NOT_RECOGNIZED'],
    ]);
  });

  it('the fingerprint source is equal for two notations, and not for two actions', () => {
    const source = (settlement: 'activated' | 'released', items: readonly string[] | undefined) =>
      JSON.stringify(fingerprintSource({ id: ID.toUpperCase(), settlement, items }, KNOWN));
    const [a, b] = [`100.102/${guidOf(1)}`, `hdl:100.102/${guidOf(1)}`];
    expect(source('activated', [a])).toBe(source('activated', [b]));
    expect(source('activated', [a])).not.toBe(source('released', [a]));
    expect(source('activated', undefined)).toBe(`{"activated":"${ID}"}`);
  });
});

describe('a settled item', () => {
  const errors = [{ pointer: '/items/0', detail: 'no' }];
  const skipped = {
    identifier: 'a b',
    problem: new Problem('NOT_RECOGNIZED', 'no', { errors, members: { offset: 3 } }),
  };

  it('is stored and read again', () => {
    expect(serializeItem({ identifier: '1/a', problem: null })).toEqual({ identifier: '1/a' });
    const text = JSON.stringify(serializeItem(skipped));
    expect(JSON.parse(text)).toEqual({
      identifier: 'a b',
      problem: { code: 'NOT_RECOGNIZED', detail: 'no', errors, offset: 3 },
    });
    expect(JSON.stringify(serializeItem(deserializeItem(JSON.parse(text))))).toBe(text);
  });

  it('is presented with its action, or with the problem document of the request', () => {
    const items = [{ identifier: '1/a', problem: null }, skipped];
    const report = presentReport({ id: ID, settlement: 'released', items }, `/reservations/${ID}/release`);
    expect(report).toMatchObject({
      ...{ id: ID, activated: 0, released: 1, skipped: 1 },
      items: [
        { identifier: '1/a', outcome: 'released' },
        { identifier: 'a b', outcome: 'skipped', problem: { code: 'NOT_RECOGNIZED', errors, offset: 3 } },
      ],
    });
    expect(report.items[1]?.problem?.instance).toBe(`/reservations/${ID}/release`);
  });
});
