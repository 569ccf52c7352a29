import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';

/** The oldest running transaction that has a later finished one; events from its number on are not visible yet. */
const OLDEST = `
  SELECT CASE WHEN pg_snapshot_xmin(s) < pg_snapshot_xmax(s) THEN pg_snapshot_xmin(s)::text END AS oldest
  FROM pg_current_snapshot() AS s`;

/** A scrape does not wait longer for a slow database. */
const TIMEOUT_MS = 1000;

/** Scrapes within this time share one query. */
const FRESH_MS = 1000;

/**
 * Measures for how long a transaction has delayed the event feed since this process first saw it; PostgreSQL hides the
 * start times of other roles.
 */
@Injectable()
export class FeedAge {
  private oldest: string | null = null;
  private seenSince = 0;
  private reading: { readonly at: number; readonly age: Promise<number> } | null = null;

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** @returns 0 without a delay, NaN when the database does not respond within a second. */
  seconds(): Promise<number> {
    const now = performance.now();
    if (this.reading === null || now - this.reading.at > FRESH_MS) {
      const late = pause(TIMEOUT_MS, NaN, { ref: false });
      this.reading = { at: now, age: Promise.race([this.read().catch(() => NaN), late]) };
    }
    return this.reading.age;
  }

  private async read(): Promise<number> {
    const { rows } = await this.pool.query<{ oldest: string | null }>(OLDEST);
    const oldest = rows[0]?.oldest ?? null;
    const now = performance.now();
    if (oldest !== this.oldest) this.seenSince = now;
    this.oldest = oldest;
    return oldest === null ? 0 : (now - this.seenSince) / 1000;
  }
}
