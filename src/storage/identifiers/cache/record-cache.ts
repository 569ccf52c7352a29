import type { Provider } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { HOT_POOL, LOG_POOL } from '../../../database/pool.js';
import { REPLICA, type Replica } from '../../../database/replica/replica.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import { isAt } from '../../../registry/key-collision.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { compactGuid } from '../../../registry/uuid.js';
import { type Clock, LogFollower, type Poll, SYSTEM_CLOCK, pollLog } from '../../changes/log-follower.js';
import type { Touched } from '../../touched.js';
import { ENTRY_BYTES, bytesOf } from './record-bytes.js';
import { ResolutionReader } from './resolution-reader.js';

/** Maximum age of an unknown name. It is short, because a mint by another process writes no row of the log. */
const ABSENT_MS = 1000;

/** Maximum age of a record. It limits the delay of changes without a row of the log, such as manual changes and newer versions. */
const PRESENT_MS = 60_000;

/** A request joins a read only if the read began within this time, because a slow read returns old data. */
const JOIN_MS = 800;

/** Share of unknown names in the bounds, so that requests for random names do not displace records. */
const ABSENT_SHARE = 0.1;

/** Maximum number of changes to remember while reads are in progress. Above this number, all of these reads count as stale. */
const MAX_REMEMBERED = 10_000;

export interface Bounds {
  readonly entries: number;
  readonly bytes: number;
}

interface Entry {
  /** Null for an unknown name. */
  readonly record: IdentifierRecord | null;
  /** A time of the monotonic clock. */
  readonly until: number;
}

interface Read {
  /** Number of the last change when the read began. */
  readonly began: number;
  readonly at: number;
  readonly found: Promise<IdentifierRecord | null>;
}

/**
 * Reads records for resolution: from memory if a poll of the log shows that the record has not changed, else by a statement. The log does
 * not report changes of `describes` and `newerVersions`. Therefore, `describes` is empty here, and `newerVersions` can lack recent mints.
 */
export class RecordCache {
  private readonly isOn: boolean;
  private readonly records: LRUCache<string, Entry>;
  private readonly absent: LRUCache<string, Entry>;
  private readonly keys = new Map<bigint, string>();
  private readonly reading = new Map<string, Read>();
  private readsUnderWay = 0;
  /** Number of the last change that became known while reads were in progress. */
  private change = 0;
  /** Number of the last change that affects everything. */
  private wholeChange = 0;
  /** Numbers of changes that affect some entries: by ID of an identifier, by key of a new name, or by prefix, which has no slash. */
  private readonly changes = new Map<bigint | string, number>();
  hits = 0;
  misses = 0;

  /** @param bounds of the cache, which is disabled with 0 bytes or fewer than two entries. */
  constructor(
    private readonly reader: Pick<ResolutionReader, keyof ResolutionReader>,
    private readonly log: Pick<LogFollower, keyof LogFollower>,
    private readonly clock: Clock,
    bounds: Bounds,
  ) {
    this.isOn = bounds.entries > 1 && bounds.bytes > 0;
    // An LRU cache allocates slots for all entries at once, and treats 0 as no bound.
    const places = Math.min(bounds.entries, bounds.bytes / ENTRY_BYTES);
    const part = (share: number) => ({
      max: Math.max(1, Math.floor(places * share)),
      maxSize: Math.max(1, Math.floor(bounds.bytes * share)),
    });
    this.absent = new LRUCache(part(ABSENT_SHARE));
    const dispose = ({ record }: Entry) => record !== null && this.keys.delete(record.id);
    this.records = new LRUCache({ ...part(1 - ABSENT_SHARE), dispose });
  }

  get entries(): number {
    return this.records.size + this.absent.size;
  }

  get bytes(): number {
    return this.records.calculatedSize + this.absent.calculatedSize;
  }

  get waiting(): number {
    return this.reader.depth;
  }

  get pollAgeSeconds(): number {
    return this.log.ageMs / 1000;
  }

  /** @returns the frozen record, the same object as long as it is cached. @throws Problem OVERLOADED */
  async find(address: Address): Promise<IdentifierRecord | null> {
    const held = this.held(address);
    if (held !== undefined) return held;
    this.misses += 1;
    return ofName(address, await (this.isOn ? this.share(keyOf(address), address) : this.reader.find(address, null)));
  }

  /** Returns the record in memory, as `find` does; null for an unknown name; undefined if a statement must read the record. */
  held(address: Address): IdentifierRecord | null | undefined {
    if (!this.isOn) return undefined;
    const now = this.clock.monotonic();
    this.log.use(now);
    const key = keyOf(address);
    const entry = this.records.get(key) ?? this.absent.get(key);
    if (entry === undefined || now >= entry.until || !this.log.isFresh()) return undefined;
    const leaseUntil = entry.record?.leaseUntil ?? null;
    if (leaseUntil !== null && leaseUntil.getTime() <= this.log.databaseTime()) return undefined;
    this.hits += 1;
    return ofName(address, entry.record);
  }

  /** Called with the changes of a transaction of this process after its end. */
  forget({ identifiers, namingAuthorities, minted }: Touched): void {
    for (const address of this.absent.size > 0 || this.readsUnderWay > 0 ? minted : []) {
      const key = keyOf(address);
      this.absent.delete(key);
      this.note(key);
    }
    this.changed({ identifiers, namingAuthorities });
  }

  /** Called with the changes that a poll has found, or with null if anything may have changed. */
  changed(found: Poll['changed']): void {
    if (found === null) {
      this.forgetEverything();
      return;
    }
    for (const id of found.identifiers) {
      this.forgetRecord(id);
      this.note(id);
    }
    if (found.namingAuthorities.length > 0) this.forgetUnder(new Set(found.namingAuthorities));
  }

  onModuleDestroy(): void {
    this.log.close();
  }

  private forgetEverything(): void {
    this.noteWhole();
    this.records.clear();
    this.absent.clear();
  }

  private forgetRecord(id: bigint): void {
    const key = this.keys.get(id);
    if (key !== undefined) this.records.delete(key);
  }

  private forgetUnder(prefixes: ReadonlySet<string>): void {
    for (const key of this.keys.values()) if (prefixes.has(key.slice(0, key.indexOf('/')))) this.records.delete(key);
    for (const prefix of prefixes) this.note(prefix);
  }

  private note(what: bigint | string): void {
    if (this.readsUnderWay === 0) return;
    this.change += 1;
    this.changes.set(what, this.change);
    if (this.changes.size > MAX_REMEMBERED) this.noteWhole();
  }

  private noteWhole(): void {
    this.change += 1;
    this.wholeChange = this.change;
    this.changes.clear();
  }

  private isStale(key: string, found: IdentifierRecord | null, began: number): boolean {
    const causes = found === null ? [key] : [found.id, found.namingAuthority];
    return this.wholeChange > began || causes.some((what) => (this.changes.get(what) ?? 0) > began);
  }

  /** Joins a read of the same key, unless the read is slow or could miss a change that became known after it began. */
  private async share(key: string, address: Address): Promise<IdentifierRecord | null> {
    const now = this.clock.monotonic();
    const other = this.reading.get(key);
    const canJoin = other?.began === this.change && now - other.at < JOIN_MS;
    return canJoin ? other.found : this.start(key, address, now);
  }

  private start(key: string, address: Address, at: number): Promise<IdentifierRecord | null> {
    const began = this.change;
    const { hasReplica } = this.reader;
    // A replica can lack changes that were notified before this read began. Without a minimum, the record of a replica is not cached.
    const minimum = hasReplica ? this.log.notified : null;
    // No other code may run between the result and the end of the read, because the read would miss a change notified in between.
    const work = async (): Promise<IdentifierRecord | null> => {
      try {
        const record = frozen(await this.reader.find(address, minimum));
        if (!this.isStale(key, record, began) && (minimum !== null || !hasReplica)) this.store(key, record, at);
        return record;
      } finally {
        this.readsUnderWay -= 1;
        if (this.readsUnderWay === 0) this.changes.clear();
        if (this.reading.get(key) === read) this.reading.delete(key);
      }
    };
    this.readsUnderWay += 1;
    const read: Read = { began, at, found: work() };
    this.reading.set(key, read);
    return read.found;
  }

  private store(key: string, record: IdentifierRecord | null, at: number): void {
    const size = bytesOf(key, record);
    this.records.delete(key);
    this.absent.delete(key);
    if (record === null) {
      this.absent.set(key, { record, until: at + ABSENT_MS }, { size });
      return;
    }
    // A record must have one key only, because `keys` has one key per ID.
    this.forgetRecord(record.id);
    this.records.set(key, { record, until: at + PRESENT_MS }, { size });
    if (this.records.has(key)) this.keys.set(record.id, key);
  }
}

/** Provides one cache for the process. `Transactions` notifies it of the changes of the process. */
export function recordCacheWithin(bounds: Bounds): Provider {
  const useFactory = (hot: pg.Pool, polls: pg.Pool, replica: Replica | null): RecordCache => {
    const changed = (found: Poll['changed']): void => {
      cache.changed(found);
    };
    const log = new LogFollower((previous) => pollLog(polls, previous), changed, SYSTEM_CLOCK);
    const cache = new RecordCache(new ResolutionReader(hot, replica), log, SYSTEM_CLOCK, bounds);
    return cache;
  };
  return { provide: RecordCache, inject: [HOT_POOL, LOG_POOL, REPLICA], useFactory };
}

/** A GUID has 32 characters here and the digest of a local name 36, so no two addresses have the same key. */
function keyOf({ namingAuthority, guid, localKey }: Address): string {
  if (guid === null) return `${namingAuthority}/${localKey}`;
  return `${namingAuthority}/${guid.length === 32 ? guid : compactGuid(guid)}`;
}

function ofName(address: Address, record: IdentifierRecord | null): IdentifierRecord | null {
  return record === null || isAt(record.localName, address) ? record : null;
}

function frozen(record: IdentifierRecord | null): IdentifierRecord | null {
  if (record === null) return null;
  const { alternateIds, describes, newerVersions, tombstone } = record;
  for (const part of [alternateIds, describes, newerVersions, tombstone]) Object.freeze(part);
  return Object.freeze(record);
}
