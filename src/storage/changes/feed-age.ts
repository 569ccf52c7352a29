import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { sharedRead } from '../registry-figures.js';

/** Events of transactions with a number of at least `oldest` are not visible yet. */
const SNAPSHOT = 'SELECT feed_horizon()::text AS oldest, pg_snapshot_xmax(pg_current_snapshot())::text AS next';

/** Scrapes within this time share one query. */
const FRESH_MS = 1000;

/** Above this number, every second sample is dropped. A later age can then be too short. */
const MAX_SAMPLES = 1000;

/** All transactions with a number below `next` had started by the time `at`. */
interface Sample {
  readonly next: bigint;
  readonly at: number;
}

/**
 * Measures how long the oldest running transaction of the database has delayed the event feed, counted from the first scrape after that
 * transaction started. Its start time is not used, because PostgreSQL hides it if the transaction belongs to another role.
 */
@Injectable()
export class FeedAge {
  /** Samples in order of time; only those taken since the oldest running transaction started. */
  private samples: Sample[] = [];
  /** @returns 0 without a delay, NaN if the database does not respond within a second. */
  readonly seconds = sharedRead(() => this.read(), NaN, FRESH_MS);

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  private async read(): Promise<number> {
    const { rows } = await this.pool.query<{ oldest: string; next: string }>(SNAPSHOT);
    if (rows[0] === undefined) throw new TypeError('a snapshot is one row');
    const oldest = BigInt(rows[0].oldest);
    const current = { next: BigInt(rows[0].next), at: performance.now() };
    // Samples with higher numbers are from another database cluster, such as the one before a restore.
    const samples = [...this.samples, current].filter(({ next }) => next > oldest && next <= current.next);
    this.samples = samples.length > MAX_SAMPLES ? samples.filter((_, index) => index % 2 === 0) : samples;
    return (current.at - (samples[0]?.at ?? current.at)) / 1000;
  }
}
