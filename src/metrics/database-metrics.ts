import { Counter, Histogram, type Registry } from 'prom-client';
import type pg from 'pg';
import { MetricSource } from './metric-source.js';

/** In seconds, from a read by a prepared statement to the longest common statement timeout. */
const STATEMENT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface ReplicaFigures {
  /** Number of reads, by the server that responded. */
  readonly reads: Readonly<Record<'replica' | 'primary' | 'fallback', number>>;
  /** NaN if the replica does not respond. */
  readonly lagSeconds: number;
}

/** Size and clock of the database; NaN if it did not respond. */
export type SizeFigures = Readonly<
  Record<'identifiers' | 'endingLeases' | 'databaseBytes' | 'clockOffsetSeconds', number>
>;

export interface CommitFigures {
  /** NaN before the first commit. */
  readonly lastCommitAgeSeconds: number;
  readonly oldestWaitingSeconds: number;
}

export class DatabaseMetrics extends MetricSource {
  private readonly statements = new Histogram({
    name: 'mintmark_database_statement_duration_seconds',
    help: 'Duration of statements in seconds, from sending to the result or the error, by pool of connections.',
    labelNames: ['pool'],
    buckets: STATEMENT_BUCKETS,
    registers: [this.registry],
  });

  constructor(
    registry: Registry,
    private readonly queueDepth: (name: string, depth: () => number) => void,
  ) {
    super(registry);
  }

  /** @returns a function that records the seconds of a statement. It is created once, because finding labels costs more than counting. */
  statementTimer(pool: string): (seconds: number) => void {
    const timed = this.statements.labels({ pool });
    return (seconds) => {
      timed.observe(seconds);
    };
  }

  /** Exports the connections of the pools, and the waiting statements as the queue `database_pool`. */
  watchPools(...pools: readonly pg.Pool[]): void {
    const sum = (count: (pool: pg.Pool) => number): number => pools.reduce((total, pool) => total + count(pool), 0);
    const connections = () => ({
      idle: sum((pool) => pool.idleCount),
      busy: sum((pool) => pool.totalCount - pool.idleCount),
    });
    this.scraped('mintmark_database_connections', 'Database connections, by state.', connections, 'state');
    const limit = sum((pool) => pool.options.max);
    const help = 'Maximum number of database connections of this process.';
    this.scraped('mintmark_database_connections_limit', help, () => limit);
    this.queueDepth('database_pool', () => sum((pool) => pool.waitingCount));
  }

  watchEventFeed(seconds: () => Promise<number>): void {
    const help = 'Seconds for which the oldest open transaction of the database has delayed the event feed.';
    this.scraped('mintmark_event_feed_age_seconds', help, seconds);
  }

  /** @param read returns 1 if the last readiness check succeeded, 0 if it failed, NaN before the first. */
  watchReadiness(read: () => Promise<number>): void {
    this.scraped('mintmark_ready', 'Whether the last check of readiness succeeded; NaN before the first.', read);
  }

  watchSize(read: () => Promise<SizeFigures>): void {
    const add = (name: string, help: string, figure: keyof SizeFigures): void => {
      this.scraped(name, `${help}; up to a minute old.`, async () => (await read())[figure]);
    };
    const all = 'Identifiers of all naming authorities in any state, exact up to 10,000 and estimated above';
    add('mintmark_identifiers', all, 'identifiers');
    const leases = 'Reservations whose lease ends within 24 hours, counted to 10,001';
    add('mintmark_leases_ending_within_day', leases, 'endingLeases');
    add('mintmark_database_size_bytes', 'Size of the database in bytes', 'databaseBytes');
    const clock = 'Seconds by which the clock of the database is ahead of the clock of this process';
    add('mintmark_database_clock_offset_seconds', clock, 'clockOffsetSeconds');
  }

  watchCommits(commits: CommitFigures): void {
    const last = 'Seconds since the database last acknowledged a commit of this process; NaN before the first one.';
    this.scraped('mintmark_last_commit_age_seconds', last, () => commits.lastCommitAgeSeconds);
    const oldest =
      'Seconds for which the oldest write sent to the database has waited for its commit; 0 if none waits.';
    this.scraped('mintmark_oldest_waiting_write_seconds', oldest, () => commits.oldestWaitingSeconds);
  }

  watchReplica(replica: ReplicaFigures): void {
    const reads = 'Reads of records with READ_DATABASE_URL, by the server that responded.';
    this.scraped('mintmark_record_reads_total', reads, () => replica.reads, 'server', Counter);
    const lag =
      'Seconds by which the server of READ_DATABASE_URL is behind at most; +Inf above 12 s, NaN where it does not respond.';
    this.scraped('mintmark_replica_lag_seconds', lag, () => replica.lagSeconds);
  }
}
