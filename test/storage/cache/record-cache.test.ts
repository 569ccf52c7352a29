import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IdentifierRecord } from '../../../src/registry/identifier-record.js';
import type { Address } from '../../../src/registry/naming-authority-snapshot.js';
import { type Bounds, RecordCache } from '../../../src/storage/identifiers/cache/record-cache.js';
import { recordWith } from '../../records.js';
import { type Deferred, FakeClock, addressOf, deferred, settled } from './fakes.js';

const NOTHING = { identifiers: [], namingAuthorities: [], minted: [] };
const LEASE_END = new Date('2030-01-01T00:00:00Z');

let clock: FakeClock;
/** What the registry has, by GUID. */
let stored: Map<string, IdentifierRecord>;
let reads: Address[];
/** Waited for by each read. */
let pending: Deferred<null> | null;
let isFresh: boolean;
/** The clock of the database at a monotonic time of 0. */
let databaseStart: number;

beforeEach(() => {
  clock = new FakeClock();
  stored = new Map();
  reads = [];
  pending = null;
  isFresh = true;
  databaseStart = LEASE_END.getTime() - 100_000;
});

function cacheOf(bounds: Partial<Bounds> = {}): RecordCache {
  const find = async (address: Address) => {
    reads.push(address);
    // A read sees the registry as it is when it begins.
    const found = stored.get(address.guid!) ?? null;
    await pending?.promise;
    return found;
  };
  const databaseTime = () => databaseStart + clock.now;
  const log = { use: () => {}, isFresh: () => isFresh, databaseTime, notified: null, ageMs: 0, close: () => {} };
  return new RecordCache({ find, depth: 0, hasReplica: false }, log, clock, {
    entries: 1000,
    bytes: 10_000_000,
    ...bounds,
  });
}

/** Registers an identifier. */
function register(n: number, members: Partial<IdentifierRecord> = {}): Address {
  const address = addressOf(String(n));
  stored.set(address.guid!, recordWith({ id: BigInt(n), guid: address.guid, localName: address.guid!, ...members }));
  return address;
}

/** Finds an identifier. @returns how many reads that took. */
async function readsOf(cache: RecordCache, address: Address): Promise<number> {
  const before = reads.length;
  await cache.find(address);
  return reads.length - before;
}

describe('an entry', () => {
  it('is the same frozen object for each hit', async () => {
    const [cache, address] = [cacheOf(), register(1, { alternateIds: ['demo:1'] })];
    const record = await cache.find(address);
    expect(await cache.find(address)).toBe(record);
    expect(Object.isFrozen(record) && Object.isFrozen(record?.alternateIds)).toBe(true);
    expect({ reads: reads.length, hits: cache.hits, misses: cache.misses }).toEqual({ reads: 1, hits: 1, misses: 1 });
  });

  it('is not served while the polls are not fresh, and is served again after the next one', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    await cache.find(address);
    isFresh = false;
    const late = cache.find(address);
    expect(reads).toHaveLength(2);
    await late;
    isFresh = true;
    expect(await readsOf(cache, address)).toBe(0);
  });

  it('is read again after a minute, for changes that write no row of the log', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    await cache.find(address);
    clock.now += 59_999;
    expect(await readsOf(cache, address)).toBe(0);
    clock.now += 1;
    expect(await readsOf(cache, address)).toBe(1);
  });

  it('of a local name is another one than that of a GUID', async () => {
    const cache = cacheOf();
    const localName = { namingAuthority: '100.102', guid: null, localKey: 'a', comparison: 'a', foldsCase: false };
    await cache.find(localName);
    await cache.find(register(1));
    expect(reads).toHaveLength(2);
  });
});

describe('the end of a lease', () => {
  it('ends the entry by the clock of the database, also where that clock was put forward', async () => {
    const [cache, address] = [cacheOf(), register(1, { state: 'reserved', leaseUntil: LEASE_END })];
    clock.now = 0;
    await cache.find(address);
    clock.now = 50_000;
    expect(await readsOf(cache, address)).toBe(0);
    databaseStart += 49_999;
    expect(await readsOf(cache, address)).toBe(0);
    databaseStart += 1;
    expect(await readsOf(cache, address)).toBe(1);
    expect(await readsOf(cache, address)).toBe(1);
  });
});

describe('an unknown name', () => {
  it('is remembered for less than a second from the beginning of its read', async () => {
    const [cache, address] = [cacheOf(), addressOf('404')];
    pending = deferred<null>();
    const first = cache.find(address);
    clock.now += 700;
    pending.resolve(null);
    expect(await first).toBeNull();
    clock.now += 299;
    expect(await readsOf(cache, address)).toBe(0);
    clock.now += 1;
    expect(await readsOf(cache, address)).toBe(1);
  });

  it('is found at once after this process has minted it', async () => {
    const cache = cacheOf();
    await cache.find(addressOf('5'));
    const address = register(5);
    // Mints have the GUID as a UUID.
    const guid = '00000000-0000-0000-0000-000000000005';
    cache.forget({ ...NOTHING, minted: [{ ...address, guid } as Address] });
    expect(await cache.find(address)).not.toBeNull();
  });

  it('is found by a request that follows the mint, while a read from before it is under way', async () => {
    const cache = cacheOf();
    const before = deferred<null>();
    pending = before;
    const first = cache.find(addressOf('5'));
    pending = null;
    const address = register(5);
    cache.forget({ ...NOTHING, minted: [address] });
    let found: IdentifierRecord | null = null;
    const second = cache.find(address).then((record) => (found = record));
    await settled();
    expect(found).not.toBeNull();
    before.resolve(null);
    expect([await first, await second]).toEqual([null, found]);
    expect(await cache.find(address)).not.toBeNull();
    expect({ reads: reads.length, entries: cache.entries }).toEqual({ reads: 2, entries: 1 });
  });

  it('is found after the mint where an older of two reads from before it ends last', async () => {
    const cache = cacheOf();
    const both = [deferred<null>(), deferred<null>()];
    pending = both[0]!;
    const older = cache.find(addressOf('5'));
    clock.now += 800;
    pending = both[1]!;
    const newer = cache.find(addressOf('5'));
    both[1]!.resolve(null);
    expect(await newer).toBeNull();
    const address = register(5);
    cache.forget({ ...NOTHING, minted: [address] });
    both[0]!.resolve(null);
    expect(await older).toBeNull();
    pending = null;
    expect(await cache.find(address)).not.toBeNull();
  });

  it('takes the place of other unknown names, not of records', async () => {
    const cache = cacheOf({ entries: 100 });
    const known = Array.from({ length: 50 }, (_, n) => register(n + 1));
    for (const address of known) await cache.find(address);
    for (let n = 1000; n < 1500; n++) await cache.find(addressOf(String(n)));
    expect(cache.entries).toBe(60);
    for (const address of known) expect(await readsOf(cache, address)).toBe(0);
  });
});

describe('a change', () => {
  it('of an identifier ends its entry and no other', async () => {
    const [cache, one, other] = [cacheOf(), register(1), register(2)];
    await Promise.all([cache.find(one), cache.find(other)]);
    cache.changed({ identifiers: [1n], namingAuthorities: [] });
    expect([await readsOf(cache, one), await readsOf(cache, other)]).toEqual([1, 0]);
  });

  it('of a naming authority ends its entries and no others, once', async () => {
    const cache = cacheOf();
    const [one, other] = [register(1), { ...register(2, { namingAuthority: '2000.01' }), namingAuthority: '2000.01' }];
    await Promise.all([cache.find(one), cache.find(other)]);
    cache.changed({ identifiers: [], namingAuthorities: ['100.102'] });
    expect([await readsOf(cache, one), await readsOf(cache, other)]).toEqual([1, 0]);
    expect(await readsOf(cache, one)).toBe(0);
  });

  it('of its naming authority keeps a read from being stored that began before', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    pending = deferred<null>();
    const first = cache.find(address);
    cache.changed({ identifiers: [], namingAuthorities: ['100.102'] });
    pending.resolve(null);
    await first;
    expect(await readsOf(cache, address)).toBe(1);
  });

  it('that may be any empties the cache', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    await Promise.all([cache.find(address), cache.find(addressOf('404'))]);
    cache.changed(null);
    expect({ entries: cache.entries, bytes: cache.bytes }).toEqual({ entries: 0, bytes: 0 });
    expect(await readsOf(cache, address)).toBe(1);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'that becomes known %i turns after the result of a read is not lost',
    async (turns) => {
      const [cache, address] = [cacheOf(), register(1)];
      pending = deferred<null>();
      void cache.find(address);
      register(1, { version: 2 });
      pending.resolve(null);
      for (let n = 0; n < turns; n++) await Promise.resolve();
      cache.changed({ identifiers: [1n], namingAuthorities: [] });
      expect((await cache.find(address))?.version).toBe(2);
      await settled();
      expect((await cache.find(address))?.version).toBe(2);
    },
  );

  it('of 10,001 identifiers is not forgotten for a read that is under way', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    pending = deferred<null>();
    const first = cache.find(address);
    const identifiers = Array.from({ length: 10_001 }, (_, n) => BigInt(n + 1));
    cache.changed({ identifiers, namingAuthorities: [] });
    pending.resolve(null);
    await first;
    expect(cache.entries).toBe(0);
  });
});

describe('concurrent misses', () => {
  it('of one name share a read, and its error', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    pending = deferred<null>();
    const found = Array.from({ length: 100 }, () => cache.find(address));
    expect(reads).toHaveLength(1);
    pending.resolve(null);
    expect(new Set(await Promise.all(found)).size).toBe(1);
    cache.changed(null);
    pending = deferred<null>();
    const lost = [cache.find(address), cache.find(address)];
    pending.reject(new Error('no connection'));
    expect((await Promise.allSettled(lost)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    pending = null;
    expect(await cache.find(address)).not.toBeNull();
  });

  it('after a change share one more read, not one each', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    pending = deferred<null>();
    const before = cache.find(address);
    cache.changed({ identifiers: [1n], namingAuthorities: [] });
    const after = Array.from({ length: 100 }, () => cache.find(address));
    pending.resolve(null);
    await Promise.all([before, ...after]);
    expect(reads).toHaveLength(2);
  });

  it('do not join a read that began 800 ms ago', async () => {
    const [cache, address] = [cacheOf(), register(1)];
    pending = deferred<null>();
    void cache.find(address);
    clock.now += 800;
    void cache.find(address);
    await settled();
    expect(reads).toHaveLength(2);
    pending.resolve(null);
  });
});

describe('the bounds', () => {
  it('of entries hold, and entries in use outlive the others', async () => {
    const cache = cacheOf({ entries: 100 });
    const used = Array.from({ length: 8 }, (_, n) => register(n + 1));
    for (const address of used) await cache.find(address);
    for (let n = 100; n < 1000; n++) {
      await cache.find(register(n));
      for (const address of used) await cache.find(address);
      expect(cache.entries).toBeLessThanOrEqual(100);
    }
    expect(reads).toHaveLength(908);
    expect(cache.entries).toBe(90);
  });

  it('of bytes hold for records of any size, and a record above them is not stored', async () => {
    const cache = cacheOf({ bytes: 100_000 });
    for (let n = 1; n < 200; n++) {
      await cache.find(register(n, { target: `https://repo.example.org/${'x'.repeat((n * 37) % 2000)}` }));
      expect(cache.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(cache.entries).toBeGreaterThan(10);
    const entries = cache.entries;
    const alternateIds = Array.from({ length: 100 }, (_, n) => `demo:${n}${'x'.repeat(8000)}`);
    await cache.find(register(1000, { alternateIds }));
    expect(cache.entries).toBe(entries);
  });

  it('of ten million entries take no memory beyond that of the bound of bytes', () => {
    const before = process.memoryUsage().arrayBuffers;
    const cache = cacheOf({ entries: 10_000_000, bytes: 1_000_000 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect(cache.entries).toBe(0);
  });
});
