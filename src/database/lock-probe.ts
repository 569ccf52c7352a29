import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { CommitWatch } from './commit-watch.js';
import { PROBE_POOL } from './pool.js';

/** Less than `deadlock_timeout`, so that the probe never ends another transaction, and than the patience of a balancer. */
const LOCK_WAIT_MS = 700;

/** The blocker is read after this wait. */
const LOOK_AFTER_MS = 20;

/** The session that reads the blocker may wait for its connection. */
const BLOCKER_WAIT_MS = 100;

/** The limit for all statements together. A database that does not respond is reported by the other checks. */
const MAX_MS = 950;

/** The locks of mints and changes: they wait for no row and write nothing. All statements are one transaction, which ends with them. */
const LOCK = `SET LOCAL lock_timeout = ${LOCK_WAIT_MS}; LOCK TABLE identifier, change IN ROW EXCLUSIVE MODE`;

/** $1: the process that waits. The oldest transaction of those before it; pid 0 is a prepared transaction. */
const BLOCKER = `
  SELECT (SELECT relation::regclass::text FROM pg_locks l WHERE l.pid = $1 AND NOT granted) AS "table", pid, usename AS "user", state,
         round(extract(epoch FROM clock_timestamp() - xact_start))::int AS "ageSeconds"
  FROM unnest(pg_blocking_pids($1)) AS blocking (pid) LEFT JOIN pg_stat_activity USING (pid)
  ORDER BY xact_start LIMIT 1`;

/** The session that locks a table; null where the role of the service may not see it. */
export interface Blocker {
  readonly table: string | null;
  readonly pid: number;
  readonly user: string | null;
  readonly state: string | null;
  readonly ageSeconds: number | null;
}

export interface TableLock {
  readonly cause: unknown;
  readonly blocker: Blocker | null;
}

/** Finds out whether the table of identifiers, or that of changes, is locked against all writes. */
@Injectable()
export class LockProbe {
  constructor(
    @Inject(PROBE_POOL) private readonly pool: pg.Pool,
    private readonly commits: CommitWatch,
  ) {}

  /** @returns null where none is locked, a write was completed meanwhile, or the database does not respond. Throws nothing. */
  async find(): Promise<TableLock | null> {
    return Promise.race([this.probe().catch(() => null), pause(MAX_MS, null, { ref: false })]);
  }

  private async probe(): Promise<TableLock | null> {
    const client = await this.pool.connect();
    let isSound = false;
    let blocker: Promise<Blocker | null> = Promise.resolve(null);
    let looking: NodeJS.Timeout | undefined;
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      looking = setTimeout(() => {
        blocker = this.blockerOf(rows[0]?.pid).catch(() => null);
      }, LOOK_AFTER_MS);
      const sentAt = performance.now();
      try {
        await client.query(LOCK);
      } catch (error) {
        isSound = error instanceof pg.DatabaseError;
        return isLockTimeout(error) && !this.commits.hasWrittenSince(sentAt)
          ? { cause: error, blocker: await Promise.race([blocker, pause(BLOCKER_WAIT_MS, null, { ref: false })]) }
          : null;
      }
      isSound = true;
      return null;
    } finally {
      clearTimeout(looking);
      client.release(!isSound);
    }
  }

  private async blockerOf(pid: number | undefined): Promise<Blocker | null> {
    return (await this.pool.query<Blocker>(BLOCKER, [pid])).rows[0] ?? null;
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}
