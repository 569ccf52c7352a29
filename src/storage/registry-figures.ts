import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';

/** Above this number of identifiers, PostgreSQL's estimate is used. */
const COUNTED_EXACTLY = 10_000;

/** Scrapes within this time share one query. */
const FRESH_MS = 60_000;

const TIMEOUT_MS = 1000;

/**
 * Shares a read among the scrapes of `freshMs` milliseconds. All of them get `unknown` if the read fails or takes longer than 1 s, and the
 * next scrape reads again.
 */
export function sharedRead<T>(read: () => Promise<T>, unknown: T, freshMs: number): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | null = null;
  return () => {
    const now = performance.now();
    if (last !== null && now - last.at <= freshMs) return last.result;
    const late = pause(TIMEOUT_MS, unknown, { ref: false });
    const own = { at: now, result: Promise.race([read().catch(() => unknown), late]) };
    last = own;
    void own.result.then((result) => {
      if (Object.is(result, unknown) && last === own) last = null;
    });
    return own.result;
  };
}

/**
 * Both counts stop one row above `COUNTED_EXACTLY`. The counts read few rows: rows of identifiers are never deleted, and with these
 * settings PostgreSQL reads the leases in the order of their index, even with outdated statistics. The estimates are those of the last VACUUM
 * or ANALYZE, and of the cumulative statistics, which a crash resets.
 */
const FIGURES = `
  BEGIN READ ONLY; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off;
  SELECT (SELECT count(*) FROM (SELECT FROM identifier LIMIT ${COUNTED_EXACTLY + 1}) counted)::float8 AS counted,
         greatest((SELECT reltuples FROM pg_class WHERE oid = 'identifier'::regclass)::float8,
                  pg_stat_get_live_tuples('identifier'::regclass)) AS estimated,
         (SELECT count(*) FROM (
            SELECT FROM identifier
            WHERE state = 'reserved' AND lease_until > CURRENT_TIMESTAMP AND lease_until <= CURRENT_TIMESTAMP + interval '1 day'
            ORDER BY lease_until LIMIT ${COUNTED_EXACTLY + 1}) ending)::float8 AS "endingLeases",
         pg_database_size(current_database())::float8 AS "databaseBytes",
         extract(epoch FROM clock_timestamp())::float8 AS "clockSeconds";
  COMMIT`;

/** Size of the registry. All numbers are NaN if the database did not respond in time. */
export interface RegistrySize {
  /** Exact up to 10,000, else an estimate. */
  readonly identifiers: number;
  /** Reservations that end within 24 hours, at most 10,001. */
  readonly endingLeases: number;
  readonly databaseBytes: number;
  /** How far the clock of the database is ahead of the clock of this process; accurate to half a second, because the query takes time. */
  readonly clockOffsetSeconds: number;
}

interface Row extends Pick<RegistrySize, 'endingLeases' | 'databaseBytes'> {
  /** Time of the database clock, in seconds since 1970. */
  readonly clockSeconds: number;
  readonly counted: number;
  readonly estimated: number;
}

const UNKNOWN: RegistrySize = { identifiers: NaN, endingLeases: NaN, databaseBytes: NaN, clockOffsetSeconds: NaN };

/** Reads the size of the registry, and keeps it for a minute. */
@Injectable()
export class RegistryFigures {
  readonly read = sharedRead(() => this.query(), UNKNOWN, FRESH_MS);

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  private async query(): Promise<RegistrySize> {
    const sentAt = Date.now();
    // `pg` returns one result per statement, which its types do not declare. After an error, the pool closes the session.
    const results = (await this.pool.query(FIGURES)) as unknown as pg.QueryResult<Row>[];
    const row = results.flatMap(({ rows }) => rows)[0];
    if (row === undefined) throw new TypeError('the figures are one row');
    const { counted, estimated, endingLeases, databaseBytes, clockSeconds } = row;
    const identifiers = counted <= COUNTED_EXACTLY ? counted : Math.max(counted, estimated);
    const clockOffsetSeconds = clockSeconds - (sentAt + Date.now()) / 2000;
    return { identifiers, endingLeases, databaseBytes, clockOffsetSeconds };
  }
}
