import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../../src/access/principal.js';
import type { MintJob, MintResult } from '../../src/minting/mint-outcome.js';
import { Problem } from '../../src/problem/problem.js';
import type { IdentifierRecord } from '../../src/registry/identifier-record.js';
import { type MintRequest, parseMintRequest } from '../../src/registry/mint-command.js';
import { Stale } from '../../src/storage/conflict-retries.js';
import type { RecordChange } from '../../src/storage/identifiers/identifier-updater.js';
import type { NameHolder, UniqueName } from '../../src/storage/identifiers/name-holders.js';
import { ChangeEngine } from '../../src/changing/change-engine.js';
import { ExistingUpdates } from '../../src/changing/existing-updates.js';
import { KNOWN, recordWith } from '../records.js';

const NOW = new Date('2026-11-20T09:30:00.000Z');
const TARGET = 'https://a.example/';
const NEW = 'https://b.example/';
const url = (text: string, timestamp: string) => ({
  ...{ index: 1, type: 'URL', data: { format: 'string', value: text }, ttl: 60, permissions: '1110', timestamp },
});
const RECORD = recordWith({
  metadataId: 'info:fedora/demo:7',
  target: TARGET,
  alternateIds: ['info:fedora/demo:8', 'info:fedora/demo:9'],
});
const mint = (request: Partial<MintRequest> = {}): MintJob => {
  const whole = { namingAuthority: '100.102', metadataId: 'demo:7', onExisting: 'update' as const, ...request };
  return { command: parseMintRequest(whole, KNOWN), context: {} as never, known: KNOWN, reader: ADMIN };
};
const heldBy = (id: bigint, more: Partial<NameHolder> = {}): NameHolder => ({
  ...{ id, namingAuthority: '100.102', localName: `n${id}`, isSame: true, isExpired: false, ...more },
});

/** Updates records that hold names; `holders` changes with them. */
function updatesOf(holders = new Map<string, NameHolder>()) {
  const written: RecordChange[][] = [];
  const locks: (readonly bigint[])[] = [];
  const updater = {
    write: (_: unknown, __: unknown, ___: unknown, changes: RecordChange[]) => {
      written.push(changes);
      for (const { record, amendment } of changes) {
        for (const name of amendment.alternates === undefined ? [] : record.alternateIds) holders.delete(name);
        for (const { canonical } of amendment.alternates ?? []) holders.set(canonical, heldBy(record.id));
      }
    },
    lock: (_: unknown, ids: readonly bigint[]) => {
      locks.push(ids);
      return { now: NOW, records: [] };
    },
  };
  const findHolders = (names: readonly UniqueName[]) => names.map(({ name }) => holders.get(name.canonical) ?? null);
  const reader = { bytesOf: () => 0 } as never;
  const names = { findHolders } as never;
  const engine = new ChangeEngine(reader, updater as never, names);
  const updates = new ExistingUpdates(engine, names, reader);
  const apply = async (jobs: readonly MintJob[], records: readonly IdentifierRecord[]) => {
    const found = jobs.map((job, index) => ({ job, id: records[index]?.id ?? 99n, isLarge: false }));
    const results = await updates.apply(null as never, { now: NOW, records, metadataRecords: new Map() }, found, ADMIN);
    return jobs.map((job) => results.get(job)!);
  };
  return { updates, written, locks, apply };
}

/** The code and the pointer of a rejection, or the outcome with the ignored members. */
const summary = (result: MintResult) =>
  result instanceof Problem
    ? [result.code, result.extensions.errors?.[0]?.pointer]
    : [result.outcome, ...(result.ignored ?? [])];

async function updated(request: Partial<MintRequest>, record = RECORD) {
  const { apply, written } = updatesOf();
  const [result] = await apply([mint(request)], [record]);
  const [change] = written.flat();
  const { target, alternates, handleValues, ...others } = change?.amendment ?? { kind: null };
  return {
    result: summary(result!),
    change: { ...others, target, alternates: alternates?.map(({ canonical }) => canonical), handleValues },
  };
}

describe('a mint that updates the identifier with its metadata ID', () => {
  it.each([
    ['its target', { target: NEW }, { target: NEW }],
    ['its alternates', { alternateIds: ['demo:9'] }, { alternates: ['info:fedora/demo:9'] }],
    ['an empty list of alternates', { alternateIds: [] }, { alternates: [] }],
    [
      'alternates in another order',
      { alternateIds: ['demo:9', 'demo:8'], target: NEW },
      {
        ...{ target: NEW, alternates: ['info:fedora/demo:9', 'info:fedora/demo:8'] },
      },
    ],
  ])('writes %s and no member that it does not have', async (_, request, change) => {
    expect(await updated(request)).toEqual({ result: ['updated'], change: { kind: 'changed', ...change } });
  });

  it.each([
    ['no values', {}, []],
    ['the values of the record', { target: TARGET, alternateIds: ['demo:8', 'info:fedora/demo:9'] }, []],
    ['another previous version', { previousVersion: '77.7/b' }, ['previousVersion']],
    ['the state and a lease', { state: 'reserved', leaseUntil: '2099-01-01T00:00:00Z' }, ['state', 'leaseUntil']],
    ['the state of the record', { state: 'active' }, []],
  ] as const)('with %s changes nothing and lists the members that it ignored', async (_, request, ignored) => {
    expect(await updated(request)).toEqual({ result: ['updated', ...ignored], change: { kind: null } });
  });

  it('writes a target also where it ignores other members', async () => {
    const { result, change } = await updated({ target: NEW, previousVersion: '77.7/b' });
    expect([result, change]).toEqual([['updated', 'previousVersion'], { kind: 'changed', target: NEW }]);
  });

  it('writes the target into the stored URL value', async () => {
    const record = { ...RECORD, handleValues: [url(TARGET, '2020-01-01T00:00:00Z')] };
    const { change } = await updated({ target: NEW }, record);
    expect(change).toEqual({ kind: 'changed', target: NEW, handleValues: [url(NEW, '2026-11-20T09:30:00Z')] });
  });

  it('changes a reserved identifier, and is rejected for a withdrawn one also without a change', async () => {
    const reserved = { ...RECORD, state: 'reserved' as const, leaseUntil: new Date('2099-01-01') };
    expect((await updated({ target: NEW }, reserved)).change).toEqual({ kind: 'changed', target: NEW });
    const withdrawn = { ...RECORD, state: 'withdrawn' as const };
    for (const request of [{ target: NEW }, {}]) {
      expect(await updated(request, withdrawn)).toEqual({ result: ['WRONG_STATE', undefined], change: { kind: null } });
    }
  });
});

describe('an update with alternates that claim names of this service', () => {
  const claimed = `hdl:100.102/${'C'.repeat(32)}`;

  it('locks no name that the record has already', async () => {
    const record = { ...RECORD, alternateIds: [claimed] };
    const { apply, written } = updatesOf();
    // Without a transaction, a lock would fail.
    const results = await apply([mint({ alternateIds: [claimed], target: NEW })], [record]);
    expect([results.map(summary), written.length]).toEqual([[['updated']], 1]);
    await expect(updatesOf().apply([mint({ alternateIds: [claimed] })], [RECORD])).rejects.toThrow(TypeError);
  });
});

describe('an update with alternates that other identifiers have', () => {
  const other = recordWith({ id: 8n, metadataId: 'info:fedora/demo:6', alternateIds: ['info:fedora/demo:5'] });
  const wanted = mint({ alternateIds: ['demo:8', 'demo:5'] });

  it.each([
    ['the name', heldBy(8n), ['ALTERNATE_ID_TAKEN', '/alternateIds/1']],
    ['another name with its key', heldBy(8n, { isSame: false }), ['KEY_COLLISION', '/alternateIds/1']],
    ['the name and is the identifier itself', heldBy(7n), ['updated']],
  ])('is decided by the one that has %s', async (_, holder, result) => {
    const { apply } = updatesOf(new Map([['info:fedora/demo:5', holder]]));
    expect((await apply([wanted], [RECORD])).map(summary)).toEqual([result]);
  });

  it('is rejected alone: the other updates of the transaction are written', async () => {
    const { apply, written } = updatesOf(new Map([['info:fedora/demo:5', heldBy(9n)]]));
    const results = await apply([wanted, mint({ metadataId: 'demo:6', target: NEW })], [RECORD, other]);
    expect(results.map(summary)).toEqual([['ALTERNATE_ID_TAKEN', '/alternateIds/1'], ['updated']]);
    expect(written.flat().map(({ record }) => record.id)).toEqual([8n]);
  });

  it('gets a name that an update before it releases, and not one that an update after it releases', async () => {
    const release = mint({ metadataId: 'demo:6', alternateIds: [] });
    const held = () => new Map([['info:fedora/demo:5', heldBy(8n)]]);
    const first = await updatesOf(held()).apply([release, wanted], [other, RECORD]);
    expect(first.map(summary)).toEqual([['updated'], ['updated']]);
    const last = await updatesOf(held()).apply([wanted, release], [RECORD, other]);
    expect(last.map(summary)).toEqual([['ALTERNATE_ID_TAKEN', '/alternateIds/1'], ['updated']]);
  });

  it('repeats the transaction after the expiry of the reservation that has a name', async () => {
    const { apply, written } = updatesOf(new Map([['info:fedora/demo:5', heldBy(8n, { isExpired: true })]]));
    const failure = await apply([wanted], [RECORD]).catch((error: unknown) => error);
    expect([failure instanceof Stale, (failure as Stale).expired]).toEqual([true, [8n]]);
    expect(written).toEqual([]);
  });
});

describe('an update of an identifier that has changed since it was found', () => {
  it.each([
    ['is not locked', []],
    ['has another metadata ID', [{ ...RECORD, metadataId: 'info:fedora/demo:1' }]],
    ['has no metadata ID', [{ ...RECORD, metadataId: null }]],
  ])('repeats the transaction where it %s', async (_, records) => {
    await expect(updatesOf().apply([mint({ target: NEW })], records)).rejects.toBeInstanceOf(Stale);
  });

  it('repeats the transaction where it was minted after the lock, and only for mints that update', async () => {
    const { updates } = updatesOf();
    const results = (outcome: 'toUpdate' | 'existing') =>
      new Map([[mint(), { outcome, record: RECORD, metadataRecord: null } as const]]);
    await expect(updates.applyWithin(null as never, null, results('toUpdate'), ADMIN)).rejects.toBeInstanceOf(Stale);
    await expect(updates.applyWithin(null as never, null, results('existing'), ADMIN)).resolves.toBeUndefined();
  });
});

describe('the lock before a transaction that mints', () => {
  const held = () => new Map(['demo:7', 'demo:6'].map((name, n) => [`info:fedora/${name}`, heldBy(BigInt(7 + n))]));

  it.each([
    ['an identifier once for two mints', [mint(), mint({ target: NEW }), mint({ metadataId: 'demo:6' })], [[7n, 8n]]],
    ['none for a metadata ID that is free', [mint({ metadataId: 'demo:1' })], []],
    ['none for a mint that returns the existing one', [mint({ onExisting: 'return' })], []],
    ['none without a metadata ID', [{ ...mint(), command: { ...mint().command, metadata: null } }], []],
    ['none of an unknown naming authority', [mint({ namingAuthority: '99.9' })], []],
  ])('has %s', async (_, jobs, locked) => {
    const { updates, locks } = updatesOf(held());
    await updates.lockExisting(null as never, jobs);
    expect(locks).toEqual(locked);
  });
});
