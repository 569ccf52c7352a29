import type pg from 'pg';

/** Two clocks in milliseconds. */
export interface Clock {
  /** Is never adjusted, but can stop while the machine is suspended. */
  monotonic(): number;
  /** Advances while the machine is suspended, but can be set back or forward. */
  wall(): number;
}

export const SYSTEM_CLOCK: Clock = { monotonic: () => performance.now(), wall: () => Date.now() };

const INTERVAL_MS = 250;

/** Minimum time between the end of a slow poll and the next one. */
const MIN_PAUSE_MS = 25;

/** How long after the start of the last poll its notifications count as current. */
const FRESH_MS = 800;

/** Polling stops after this time without a use. */
const IDLE_MS = 10_000;

/** A poll with more rows reports that anything may have changed. */
const MAX_POLLED_ROWS = 10_000;

/**
 * $1: the snapshot of the previous poll, or null; $2: maximum number of rows of each half. A transaction that the snapshot does not show
 * was in progress, or has a number of at least the `xmax` of the snapshot. Each row committed since is therefore found by its position,
 * even beyond the end of the feed, and rows that a long transaction keeps out of the feed are not read again. `origin` changes with the
 * server, database or table, and when the offset is raised.
 */
export const LOG_POLL = `
  WITH changed AS MATERIALIZED (
    (SELECT identifier_id, naming_authority_id FROM change
     WHERE position >= pg_snapshot_xmax($1::pg_snapshot)::text::bigint + (SELECT value FROM log_offset)
     ORDER BY position, id LIMIT $2)
    UNION ALL
    (SELECT c.identifier_id, c.naming_authority_id
     FROM pg_snapshot_xip($1::pg_snapshot) AS open(xid)
     CROSS JOIN LATERAL (
       SELECT identifier_id, naming_authority_id FROM change
       WHERE position = open.xid::text::bigint + (SELECT value FROM log_offset) ORDER BY position, id LIMIT $2
     ) c
     LIMIT $2)
  )
  SELECT pg_current_snapshot()::text AS snapshot,
         pg_snapshot_xmax(pg_current_snapshot())::text AS next,
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time,
         CASE WHEN NOT pg_is_in_recovery() THEN (pg_current_wal_flush_lsn() - '0/0')::text END AS flushed,
         concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
                   (SELECT oid FROM pg_database WHERE datname = current_database()),
                   pg_relation_filenode('change'), pg_relation_filenode('identifier'),
                   (SELECT value FROM log_offset)) AS origin,
         ARRAY(SELECT identifier_id FROM changed WHERE identifier_id IS NOT NULL) AS identifiers,
         ARRAY(SELECT n.prefix FROM changed JOIN naming_authority n ON n.id = naming_authority_id
               WHERE identifier_id IS NULL) AS naming_authorities`;

/** How far a poll has read the log. */
export interface PollState {
  readonly snapshot: string;
  readonly next: bigint;
  readonly origin: string;
  /** Clock of the database, in milliseconds since 1970. */
  readonly time: number;
  /** End of the durable WAL, after every change that the poll can have reported; null on a server in recovery. */
  readonly flushed: bigint | null;
}

export interface Poll {
  readonly state: PollState;
  /** What was committed since the previous poll; null if unknown. */
  readonly changed: { readonly identifiers: readonly bigint[]; readonly namingAuthorities: readonly string[] } | null;
}

interface PollRow extends Omit<PollState, 'next' | 'flushed'> {
  readonly next: string;
  readonly flushed: string | null;
  readonly identifiers: readonly string[];
  readonly naming_authorities: readonly string[];
}

/**
 * Reads which rows of the log were committed since an earlier poll.
 * @param pool with a connection of its own and without sequential scans, because the planner cannot know that few rows are found.
 */
export async function pollLog(pool: pg.Pool, previous: PollState | null): Promise<Poll> {
  const values = [previous?.snapshot ?? null, MAX_POLLED_ROWS + 1];
  const { rows } = await pool.query<PollRow>({ name: 'poll-log', text: LOG_POLL, values });
  const [row] = rows;
  if (row === undefined) throw new TypeError('a poll is one row');
  const { snapshot, origin, time, identifiers, naming_authorities: namingAuthorities } = row;
  const flushed = row.flushed === null ? null : BigInt(row.flushed);
  const state = { snapshot, origin, time, next: BigInt(row.next), flushed };
  const isContinuous = previous !== null && previous.origin === origin && previous.next <= state.next;
  const isComplete = identifiers.length + namingAuthorities.length <= MAX_POLLED_ROWS;
  return {
    state,
    changed: isContinuous && isComplete ? { identifiers: identifiers.map(BigInt), namingAuthorities } : null,
  };
}

/** Polls the change log while it is used. After a failed poll, the next one continues from the snapshot of the last successful one. */
export class LogFollower {
  /** The last successful poll, and its start by both clocks. */
  private last: { readonly state: PollState; readonly monotonic: number; readonly wall: number } | null = null;
  private usedAt = -Infinity;
  private next: NodeJS.Timeout | undefined;
  /** Incremented by starts and stops, so that a poll that ends after a stop has no effect. */
  private turn = 0;
  private isRunning = false;
  private isClosed = false;

  /** @param onChange receives what was committed; null if anything may have changed, and when polling stops. */
  constructor(
    private readonly poll: (previous: PollState | null) => Promise<Poll>,
    private readonly onChange: (changed: Poll['changed']) => void,
    private readonly clock: Clock,
  ) {}

  /** Starts polling, or keeps it running. @param now the time of the monotonic clock. */
  use(now: number): void {
    this.usedAt = now;
    if (this.isRunning || this.isClosed) return;
    this.isRunning = true;
    this.turn += 1;
    void this.step(this.turn);
  }

  /** Milliseconds since the start of the last successful poll, by the clock that has advanced more; NaN before the first. */
  get ageMs(): number {
    if (this.last === null) return NaN;
    return Math.max(this.clock.monotonic() - this.last.monotonic, this.clock.wall() - this.last.wall);
  }

  /** Whether every change that was committed at least `FRESH_MS` ago has been notified. */
  isFresh(): boolean {
    return this.ageMs < FRESH_MS;
  }

  /** The end of the WAL up to which changes were notified; null if unknown or old. */
  get notified(): bigint | null {
    return this.isFresh() ? (this.last?.state.flushed ?? null) : null;
  }

  /** An upper bound of the database clock, in milliseconds since 1970; Infinity before the first successful poll. */
  databaseTime(): number {
    return this.last === null ? Infinity : this.last.state.time + this.ageMs;
  }

  close(): void {
    this.isClosed = true;
    this.stop();
  }

  private stop(): void {
    this.turn += 1;
    this.isRunning = false;
    clearTimeout(this.next);
    this.last = null;
    this.onChange(null);
  }

  private async step(turn: number): Promise<void> {
    const [monotonic, wall] = [this.clock.monotonic(), this.clock.wall()];
    const poll = await this.poll(this.last?.state ?? null).catch(() => null);
    if (turn !== this.turn) return;
    if (poll !== null) {
      this.onChange(poll.changed);
      this.last = { state: poll.state, monotonic, wall };
    }
    const now = this.clock.monotonic();
    if (now - this.usedAt >= IDLE_MS) {
      this.stop();
      return;
    }
    const pause = Math.max(INTERVAL_MS - (now - monotonic), MIN_PAUSE_MS);
    this.next = setTimeout(() => void this.step(turn), pause).unref();
  }
}
