import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ADMIN } from '../../src/access/principal.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { Problem } from '../../src/problem/problem.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { readRow } from '../../src/api/import-export/transfer-columns.js';
import { parseImport } from '../../src/import-export/import-command.js';
import { TransferLineDto } from '../../src/api/import-export/transfer-line.dto.js';
import { readPart } from '../../src/http/validation/request-validation.js';
import { authorityWith } from '../records.js';

const known = new NamingAuthoritySnapshot(
  [authorityWith(), authorityWith({ prefix: '20.500', profile: 'handle' })],
  DEFAULT_RESOLVER,
);

const TIME = '2020-01-01T00:00:00.000Z';
const LINE = {
  ...{ identifier: '100.102/00000000000040008000000000000002', metadataId: 'info:fedora/demo:7', target: null },
  ...{ state: 'withdrawn', alternateIds: ['info:fedora/demo:8'], version: 3, createdAt: TIME, updatedAt: TIME },
  ...{
    previousVersion: null,
    leaseUntil: null,
    tombstone: { withdrawnAt: TIME, reasonCode: 'undone', reason: 'x', replacedBy: null },
  },
};

/** The result of a line: "read", or the code of its problem. Any other error fails the test. */
function outcomeOf(value: unknown): string {
  try {
    parseImport(readPart(TransferLineDto, value), known, ADMIN);
    return 'read';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

/** JSON of any type, including values of the members of a line. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue() },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, [], {}, '', 0, -1, 1.5, true, [null], [[]], [{}], { length: 1 }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      ...[TIME, '2020-02-31T00:00:00Z', '9999-12-31T23:59:59-23:59', 'active', 'reserved', 'withdrawn'],
      ...['20.500/x', 'demo:7', 'hdl:100.102/00000000000040008000000000000002', 'https://x.example/', 'a\0', '\ud800'],
    ),
  },
);
const tombstones = fc.record(
  { withdrawnAt: anything, reasonCode: anything, reason: anything, replacedBy: anything },
  { requiredKeys: [] },
);

describe('a line of an import', () => {
  it('is read when its members have their types', () => {
    expect(outcomeOf(LINE)).toBe('read');
  });

  it('may name a previous version that is not registered, but not itself, and not for a reservation', () => {
    expect(outcomeOf({ ...LINE, previousVersion: '100.102/00000000000040008000000000000003' })).toBe('read');
    expect(outcomeOf({ ...LINE, previousVersion: LINE.identifier })).toBe('INVALID_PREDECESSOR');
    const reserved = { ...LINE, state: 'reserved', leaseUntil: '2126-01-01T00:00:00Z', tombstone: null };
    expect(outcomeOf({ ...reserved, previousVersion: '20.500/x' })).toBe('INVALID_REQUEST');
    expect(outcomeOf({ ...reserved, previousVersion: null })).toBe('read');
  });

  it.each([
    ['/tombstone', 'is required in the state "withdrawn"', { tombstone: null }],
    ['/tombstone', 'is permitted only in the state "withdrawn"', { state: 'active' }],
    ['/leaseUntil', 'is required in the state "reserved"', { state: 'reserved', tombstone: null }],
    ['/leaseUntil', 'is permitted only in the state "reserved"', { leaseUntil: '2126-01-01T00:00:00Z' }],
  ])('is rejected at %s, which %s', (pointer, detail, members) => {
    const read = () => parseImport(readPart(TransferLineDto, { ...LINE, ...members }), known, ADMIN);
    expect(read).toThrow(expect.objectContaining({ extensions: { errors: [{ pointer, detail }] } }));
  });

  it.each([
    ['/createdAt', (time: string) => ({ createdAt: time, updatedAt: time })],
    ['/updatedAt', (time: string) => ({ updatedAt: time })],
    ['/tombstone/withdrawnAt', (time: string) => ({ tombstone: { ...LINE.tombstone, withdrawnAt: time } })],
  ])('is rejected at %s where the time is more than 5 minutes in the future', (pointer, members) => {
    const now = new Date('2026-11-20T09:30:00.000Z');
    const read = (time: string) => () =>
      parseImport(readPart(TransferLineDto, { ...LINE, ...members(time) }), known, ADMIN, now);
    expect(read('2026-11-20T09:35:00Z')).not.toThrow();
    const detail = 'is more than 5 minutes in the future: the time of this service is 2026-11-20T09:30:00.000Z';
    expect(read('2026-11-20T09:35:00.001Z')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', extensions: { errors: [{ pointer, detail }] } }),
    );
  });

  it('of a reservation whose lease has ended is the version that ended it, at the end of the lease', () => {
    const reserved = { ...LINE, state: 'reserved', tombstone: null, leaseUntil: '2020-06-01T00:00:00Z' };
    const { record, item } = parseImport(readPart(TransferLineDto, reserved), known, ADMIN);
    const end = new Date('2020-06-01T00:00:00Z');
    expect(record).toMatchObject({ state: 'withdrawn', version: 4, createdAt: new Date(TIME), updatedAt: end });
    expect(item).toMatchObject({ state: 'withdrawn', version: 4, updatedAt: end, tombstone: { withdrawnAt: end } });
    const later = { ...reserved, updatedAt: '2020-07-01T00:00:00Z' };
    const changed = parseImport(readPart(TransferLineDto, later), known, ADMIN);
    expect(changed.record.updatedAt).toEqual(new Date('2020-07-01T00:00:00Z'));
  });

  it.each([
    ['hdl:20.500/qr?x=1', 'a query'],
    ['https://hdl.handle.net/20.500/sici-1#', 'a fragment'],
    ['hdl:20.500/qr?x#y', 'a query and a fragment'],
  ])('is rejected with the identifier %j, which would be registered without %s', (identifier, part) => {
    const detail = `has ${part}, which a Handle does not have (R-02): leave it out, or write "?" as "%3F" and "#" as "%23" where they are part of the local name`;
    expect(() => parseImport(readPart(TransferLineDto, { ...LINE, identifier }), known, ADMIN)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        extensions: { errors: [{ pointer: '/identifier', detail }] },
      }),
    );
  });

  it.each([
    ['20.500/qr?x=1#', 'qr?x=1#'],
    ['hdl:20.500/qr%3Fx=1%23', 'qr?x=1#'],
    // The query of a CORDRA identifier denotes no other identifier.
    ['100.102/00000000000040008000000000000002?x#y', '00000000000040008000000000000002'],
  ])('with the identifier %j has the local name %j', (identifier, localName) => {
    const { record } = parseImport(readPart(TransferLineDto, { ...LINE, identifier }), known, ADMIN);
    expect(record.localName).toBe(localName);
  });

  it('has at most 64 KiB of names and target, as other records', () => {
    const alternateIds = (length: number) => Array.from({ length: 8 }, (_, n) => `hdl:10.1/${n}`.padEnd(length, 'a'));
    expect(outcomeOf({ ...LINE, alternateIds: alternateIds(8000) })).toBe('read');
    expect(outcomeOf({ ...LINE, alternateIds: alternateIds(8200) })).toBe('RECORD_TOO_LARGE');
  });

  it('is not replaced by itself', () => {
    const replacedBy = (name: string) => ({ ...LINE, tombstone: { ...LINE.tombstone, replacedBy: name } });
    expect(outcomeOf(replacedBy('100.102/00000000000040008000000000000003'))).toBe('read');
    expect(outcomeOf(replacedBy(`hdl:${LINE.identifier}`))).toBe('INVALID_REQUEST');
    expect(outcomeOf(replacedBy(LINE.identifier))).toBe('INVALID_REQUEST');
  });

  it.each([
    ...['metadataId', 'target', 'leaseUntil', 'alternateIds', 'previousVersion', 'tombstone'].flatMap((name) =>
      [[], [null], {}, 0, true, ''].map((value) => [name, value] as const),
    ),
    ['alternateIds', [null]],
    ['alternateIds', [[]]],
    ['tombstone', [LINE.tombstone]],
    ['tombstone', { ...LINE.tombstone, replacedBy: [] }],
    ['tombstone', { ...LINE.tombstone, reasonCode: 'lost' }],
    ['tombstone', { ...LINE.tombstone, reasonCode: null }],
    ['tombstone', { ...LINE.tombstone, withdrawnAt: [TIME] }],
    ['identifier', [LINE.identifier]],
    ['state', ['withdrawn']],
    ['version', [3]],
    ['createdAt', [TIME]],
  ] as const)('with %s %j is rejected or read, and never fails', (name, value) => {
    const empty = Array.isArray(value) && value.length === 0;
    const expected = name === 'alternateIds' && empty ? /^read$/ : /^(?:INVALID_REQUEST|NOT_RECOGNIZED)$/;
    expect(outcomeOf({ ...LINE, [name]: value })).toMatch(expected);
  });

  it('with any JSON as any member is read or rejected with a problem', () => {
    // One or two changes: with more, only the first faults matter.
    const members = Object.keys(LINE).map((name) =>
      fc.tuple(fc.constant(name), name === 'tombstone' ? fc.oneof(anything, tombstones) : anything),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(...members), { minLength: 1, maxLength: 2 }), (changes) => {
        outcomeOf({ ...LINE, ...Object.fromEntries(changes) });
      }),
      { numRuns: 3000 },
    );
  });

  it('that is any JSON is read or rejected with a problem', () => {
    fc.assert(
      fc.property(fc.oneof(anything, fc.dictionary(fc.constantFrom(...Object.keys(LINE)), anything)), (value) => {
        outcomeOf(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('of CSV with any cells is read or rejected with a problem', () => {
    const cells = fc.oneof(fc.string(), fc.constantFrom('', "'", TIME, 'withdrawn', 'reserved', '1', '20.500/x', '[]'));
    const row = fc.record(
      Object.fromEntries(
        ['identifier', 'metadataId', 'target', 'state', 'alternateIds', 'version', 'createdAt', 'updatedAt']
          .concat(['leaseUntil', 'withdrawnAt', 'withdrawalReasonCode', 'withdrawalReason', 'replacedBy'])
          .map((column) => [column, cells]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(row, (value) => {
        outcomeOf(readRow(value as Record<string, string>));
      }),
      { numRuns: 1000 },
    );
  });
});
