import type pg from 'pg';
import type { Replica } from '../../../database/replica/replica.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import { isAt } from '../../../registry/key-collision.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { LogFollower } from '../../changes/log-follower.js';
import { pollLog } from '../../changes/log-poll.js';
import { type Clock, SYSTEM_CLOCK } from '../../clock.js';
import { ResolutionReads } from './resolution-reads.js';
import type { Touched } from '../../touched.js';
import type { Bounds } from './bounded-entries.js';
import { RecordCache } from './record-cache.js';
import { ResolutionReader } from './resolution-reader.js';

/** Records that are read from memory where they are there, so that most answers need no promise. */
export type HeldRecords = Pick<CachedResolution, 'held' | 'find'>;

/**
 * The reads of resolution: from memory, else by a statement. A face calls `find`, in the place of
 * `prisma.identifier.find`. No row of the log tells when `describes` and `newerVersions` of a record change: the first one is
 * always empty, and the other one can lack what was minted in the last minute.
 */
export class CachedResolution {
  private readonly reader: ResolutionReader | ResolutionReads;
  private readonly log: LogFollower;
  /** Null without a cache. */
  private readonly cache: RecordCache | null;
  private uncached = 0;

  /**
   * @param hot the pool of the look-ups.
   * @param logPool a pool that only the polls use.
   * @param bounds 0 of one of them is no cache.
   * @param replica is read first; null for none.
   */
  constructor(
    hot: pg.Pool,
    logPool: pg.Pool,
    bounds: Bounds,
    replica: Replica | null = null,
    clock: Clock = SYSTEM_CLOCK,
  ) {
    const primary = new ResolutionReader(hot);
    this.reader = replica === null ? primary : new ResolutionReads(primary, replica);
    this.log = new LogFollower(
      (previous) => pollLog(logPool, previous),
      (changed) => this.cache?.changed(changed),
      clock,
    );
    const isOn = bounds.entries > 0 && bounds.octets > 0;
    this.cache = isOn ? new RecordCache(this.reader, this.log, clock, bounds, replica !== null) : null;
  }

  /**
   * @returns the record, which the caller must not change: the same object while it is in the cache.
   * @throws Problem OVERLOADED when too many reads wait.
   */
  async find(address: Address): Promise<IdentifierRecord | null> {
    if (this.cache === null) this.uncached += 1;
    const record = await (this.cache === null ? this.reader.find(address, null) : this.cache.find(address));
    return record === null || isAt(record.localName, address) ? record : null;
  }

  /** The record in memory, as `find` returns it; null for an unknown name; undefined where it must be read. */
  held(address: Address): IdentifierRecord | null | undefined {
    const record = this.cache?.held(address);
    return record === undefined || record === null || isAt(record.localName, address) ? record : null;
  }

  /** Called with what a transaction of this process changed. */
  forget(touched: Touched): void {
    this.cache?.forget(touched);
  }

  /** Ends the polls. */
  close(): void {
    this.log.close();
  }

  get hits(): number {
    return this.cache?.hits ?? 0;
  }

  get misses(): number {
    return this.cache?.misses ?? this.uncached;
  }

  get entries(): number {
    return this.cache?.entries ?? 0;
  }

  get octets(): number {
    return this.cache?.octets ?? 0;
  }

  get waiting(): number {
    return this.reader.depth;
  }

  get pollAgeSeconds(): number {
    return this.log.ageMs / 1000;
  }
}
