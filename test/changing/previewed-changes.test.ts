import { describe, expect, it } from '@jest/globals';
import type { Holders, PlannedChange } from '../../src/changing/change-plan.js';
import { PreviewedChanges, bytesOfDryRuns } from '../../src/changing/previewed-changes.js';
import type { IdentifierRecord } from '../../src/registry/identifier-record.js';
import { recordWith } from '../records.js';

const AT = new Date('2026-11-20T09:30:00.000Z');
const holder = { id: 1n, namingAuthority: '100.102', localName: 'x', isSame: true };
const planned = (id: bigint, members: Partial<IdentifierRecord>, names: Partial<PlannedChange> = {}) => {
  const before = recordWith({ id });
  const after = { ...before, ...members };
  return { ...{ before, record: before, after, released: [], gained: [], metadataRecord: null }, ...names };
};
const planOf = (changes: ReturnType<typeof planned>[], holders: Holders = new Map()) => ({
  changes: changes.map((change) => ({ ...change, amendment: { kind: 'changed' as const } })),
  holders,
});
/** Changes of identifiers, each of which takes a little more than 1 MiB. */
const large = (from: number, to: number) =>
  planOf(Array.from({ length: to - from }, (_, n) => planned(BigInt(from + n), { target: 'x'.repeat(1_048_576) })));

const dryRun = (all = bytesOfDryRuns(), client = 'a') => new PreviewedChanges(all, client);

describe('the changes that a dry run keeps', () => {
  it('are those of earlier chunks, in place of what the database has', () => {
    const earlier = dryRun();
    earlier.keep(planOf([planned(1n, { target: 'a', version: 2, updatedAt: AT }), planned(2n, { language: 'de' })]));
    earlier.keep(planOf([planned(1n, { state: 'withdrawn', version: 3 })]));
    const records = [1n, 2n, 3n].map((id) => recordWith({ id, target: 'now', version: 1 }));
    const found = earlier.changed({ records, metadataRecords: new Map([[9n, records[1]!]]) });
    const changed = recordWith({ id: 2n, language: 'de' });
    expect(found.records).toEqual([recordWith({ id: 1n, state: 'withdrawn', version: 3 }), changed, records[2]]);
    expect([...found.metadataRecords]).toEqual([[9n, changed]]);
  });

  it('have the holders of names', () => {
    const earlier = dryRun();
    const change = planned(1n, {}, { released: ['old'], gained: ['new'] });
    earlier.keep(planOf([change], new Map([['new', holder]])));
    const holders: Holders = new Map([
      ['old', holder],
      ['new', null],
      ['other', holder],
    ]);
    earlier.overlay(holders);
    expect([...holders]).toEqual([
      ['old', null],
      ['new', holder],
      ['other', holder],
    ]);
  });

  it('are at most 32 MiB, in which each identifier counts once', () => {
    const earlier = dryRun();
    for (let n = 0; n < 5; n += 1) earlier.keep(large(0, 31));
    expect(() => {
      earlier.keep(large(31, 32));
    }).toThrow(expect.objectContaining({ code: 'BODY_TOO_LARGE' }));
  });

  it('are at most 32 MiB of one client, until a dry run ends', () => {
    const all = bytesOfDryRuns();
    const [first, second] = [dryRun(all), dryRun(all)];
    first.keep(large(0, 16));
    second.keep(large(0, 15));
    expect(() => {
      second.keep(large(15, 16));
    }).toThrow(expect.objectContaining({ code: 'CONCURRENCY_LIMITED' }));
    dryRun(all, 'b').keep(large(0, 15));
    first.end();
    second.keep(large(15, 20));
  });

  it('are at most 64 MiB in the process, until a dry run ends', () => {
    const all = bytesOfDryRuns();
    const [first, second, third] = ['a', 'b', 'c'].map((client) => dryRun(all, client));
    first!.keep(large(0, 31));
    second!.keep(large(0, 16));
    expect(() => {
      third!.keep(large(0, 16));
    }).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    second!.keep(planOf([planned(0n, { target: 'short' })]));
    first!.end();
    third!.keep(large(16, 20));
    third!.end();
    second!.end();
    second!.keep(large(0, 1));
    dryRun(all).keep(large(0, 31));
  });
});
