import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import type { Address } from '../../../registry/naming-authority-snapshot.js';
import { compactGuid } from '../../../registry/uuid.js';
import type { LogFollower } from '../../changes/log-follower.js';
import type { Poll } from '../../changes/log-poll.js';
import type { Clock } from '../../clock.js';
import type { Touched } from '../../touched.js';
import { BoundedEntries, type Bounds, type Sized } from './bounded-entries.js';
import { Invalidations } from './invalidations.js';
import { octetsOf } from './record-octets.js';

/** An unknown name can be minted by another process, which writes no row of the log. */
export const ABSENT_MS = 1000;

/** A second limit, for changes that write no row of the log, such as those by hand, and newer versions. */
export const PRESENT_MS = 60_000;

/** A request joins a read that began this time ago at most: a slow read returns old data. */
const JOIN_MS = 800;

/** Unknown names have a tenth of the bounds, so that requests for random names do not replace the records. */
const ABSENT_SHARE = 10;

/** Naming authorities with changes to remember; above this number everything is invalidated. */
const MAX_NAMING_AUTHORITIES = 10_000;

interface Entry extends Sized {
  readonly key: string;
  readonly record: IdentifierRecord | null;
  /** The number of the last invalidation when its read began. */
  readonly began: number;
  /** By the monotonic clock. */
  readonly until: number;
  /** By the clock of the database. */
  readonly leaseUntil: number;
}

interface Read {
  readonly began: number;
  /** By the monotonic clock. */
  readonly at: number;
  readonly found: Promise<IdentifierRecord | null>;
  /** Whether it may miss a change that was known when it ended. */
  isStale: boolean;
}

interface RecordSource {
  /** @param minimum the position of the log that a replica must have replayed; null for any. */
  find(address: Address, minimum: bigint | null): Promise<IdentifierRecord | null>;
}

/** Reads records as `ResolutionReader` does, from memory where a poll of the log shows that they have not changed. */
export class RecordCache {
  private readonly records: BoundedEntries<Entry>;
  private readonly absent: BoundedEntries<Entry>;
  private readonly keys = new Map<bigint, string>();
  private readonly invalidations = new Invalidations();
  /** The last read of each key. */
  private readonly reading = new Map<string, Read>();
  /** All reads, the oldest first. */
  private readonly reads = new Set<Read>();
  hits = 0;
  misses = 0;

  constructor(
    private readonly reader: RecordSource,
    private readonly log: Pick<LogFollower, 'use' | 'isFresh' | 'databaseTime'> &
      Partial<Pick<LogFollower, 'notified'>>,
    private readonly clock: Clock,
    bounds: Bounds,
    /** Whether the reader can read a server that lacks the last changes. */
    private readonly hasReplica = false,
  ) {
    const share = {
      entries: Math.ceil(bounds.entries / ABSENT_SHARE),
      octets: Math.ceil(bounds.octets / ABSENT_SHARE),
    };
    this.absent = new BoundedEntries(share);
    const rest = { entries: bounds.entries - share.entries, octets: bounds.octets - share.octets };
    this.records = new BoundedEntries(rest, ({ record }) => {
      if (record !== null) this.keys.delete(record.id);
    });
  }

  get entries(): number {
    return this.records.size + this.absent.size;
  }

  get octets(): number {
    return this.records.octets + this.absent.octets;
  }

  /**
   * @returns the frozen record, the same object while it is in the cache; its `describes` is empty.
   * @throws as the reader does.
   */
  async find(address: Address): Promise<IdentifierRecord | null> {
    const held = this.held(address);
    if (held !== undefined) return held;
    this.misses += 1;
    return this.share(keyOf(address), address, this.clock.monotonic());
  }

  /** The record in memory as `find` returns it; null for an unknown name; undefined where a statement must read it. */
  held(address: Address): IdentifierRecord | null | undefined {
    const now = this.clock.monotonic();
    this.log.use(now);
    const key = keyOf(address);
    const entry = this.records.get(key) ?? this.absent.get(key);
    if (entry === undefined || !this.isValid(entry, now)) return undefined;
    this.hits += 1;
    entry.isUsed = true;
    return entry.record;
  }

  /** Called with the changes of a transaction of this process after its end. */
  forget({ identifiers, namingAuthorities, minted }: Touched): void {
    if (this.absent.size > 0 || this.reads.size > 0) for (const address of minted) this.forgetAbsent(keyOf(address));
    this.changed({ identifiers, namingAuthorities });
  }

  /** Called with what a poll has found; null when anything may have changed. */
  changed(found: Poll['changed']): void {
    if (found === null) {
      this.forgetEverything();
      return;
    }
    if (this.records.size === 0 && this.reads.size === 0) return;
    for (const id of found.identifiers) {
      const key = this.keys.get(id);
      if (key !== undefined) this.records.delete(key);
      if (this.reads.size > 0) this.invalidations.ofIdentifier(id);
    }
    for (const prefix of found.namingAuthorities) this.invalidations.ofNamingAuthority(prefix);
    if (this.invalidations.size > MAX_NAMING_AUTHORITIES) this.forgetEverything();
  }

  private forgetEverything(): void {
    this.invalidations.ofEverything();
    this.reading.clear();
    this.records.clear();
    this.absent.clear();
  }

  private forgetAbsent(key: string): void {
    this.absent.delete(key);
    if (this.reads.size > 0) this.invalidations.ofIdentifier(key);
    // A request that comes now does not join it.
    this.reading.delete(key);
  }

  private isValid({ record, began, until, leaseUntil }: Entry, now: number): boolean {
    if (now >= until || !this.log.isFresh()) return false;
    if (record === null) return true;
    if (this.invalidations.concernsNamingAuthority(record.namingAuthority, began)) return false;
    return leaseUntil === Infinity || leaseUntil > this.log.databaseTime();
  }

  /**
   * Joins a read of the same key, unless it may miss what was invalidated before this request.
   * @param mayJoin false after a read was joined that an invalidation concerned.
   */
  private async share(key: string, address: Address, now: number, mayJoin = true): Promise<IdentifierRecord | null> {
    const other = this.reading.get(key);
    if (other === undefined || now - other.at >= JOIN_MS) return this.start(key, address, now);
    const cameFirst = this.invalidations.current === other.began;
    const found = await other.found;
    if (cameFirst || !other.isStale) return found;
    const later = this.clock.monotonic();
    return mayJoin ? this.share(key, address, later, false) : this.start(key, address, later);
  }

  private async start(key: string, address: Address, at: number): Promise<IdentifierRecord | null> {
    const began = this.invalidations.current;
    // A replica can lack what was notified before this read began; without a minimum, its record is not kept.
    const minimum = this.hasReplica ? (this.log.notified ?? null) : null;
    const isKept = !this.hasReplica || minimum !== null;
    const found = this.reader.find(address, minimum).then((record) => {
      read.isStale ||= this.invalidations.concernsRead(key, record, began);
      return frozen(record);
    });
    const read: Read = { began, at, found, isStale: false };
    this.reading.set(key, read);
    this.reads.add(read);
    try {
      const record = await found;
      if (isKept && !read.isStale) this.store(key, record, read);
      return record;
    } finally {
      if (this.reading.get(key) === read) this.reading.delete(key);
      this.reads.delete(read);
      const [oldest] = this.reads;
      this.invalidations.forgetUpTo(oldest?.began ?? Infinity);
    }
  }

  private store(key: string, record: IdentifierRecord | null, { began, at }: Read): void {
    const octets = octetsOf(key, record);
    const until = at + (record === null ? ABSENT_MS : PRESENT_MS);
    const leaseUntil = record?.leaseUntil?.getTime() ?? Infinity;
    const entry: Entry = { key, record, began, until, leaseUntil, octets, isUsed: false };
    this.records.delete(key);
    this.absent.delete(key);
    if (record === null) {
      this.absent.set(key, entry);
      return;
    }
    // Another spelling of the address would not be found by the ID.
    const known = this.keys.get(record.id);
    if (known !== undefined) this.records.delete(known);
    this.records.set(key, entry);
    if (this.records.get(key) === entry) this.keys.set(record.id, key);
  }
}

/** A GUID has 32 characters here and the digest of a local name 36, so that no two addresses have the same key. */
function keyOf({ namingAuthority, guid, localKey }: Address): string {
  if (guid === null) return `${namingAuthority}/${localKey}`;
  return `${namingAuthority}/${guid.length === 32 ? guid : compactGuid(guid)}`;
}

function frozen(record: IdentifierRecord | null): IdentifierRecord | null {
  if (record === null) return null;
  Object.freeze(record.alternateIds);
  Object.freeze(record.describes);
  Object.freeze(record.newerVersions);
  Object.freeze(record.tombstone);
  return Object.freeze(record);
}
