import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { CommitWatch } from './commit-watch.js';
import { PROBE_POOL } from './pool.js';

/** Maximum wait for the locks. It is below `deadlock_timeout`, so that no other transaction fails, and below timeouts of load balancers. */
const LOCK_WAIT_MS = 700;

/** If the probe waits for its locks longer than this, it reads which session blocks it. */
const LOOK_AFTER_MS = 20;

/** Maximum wait for the description of the blocking session, which needs a second connection. */
const BLOCKER_WAIT_MS = 100;

/** Maximum duration of a probe. Other checks report a database that does not respond. */
const MAX_MS = 950;

/**
 * Takes the table locks of mints and changes, but no row locks. The statements are one transaction, because they are sent together. A raise
 * of the offset of positions (decision 79) waits for the lock of position_gate, so the probe never waits for another table while it
 * holds this lock.
 */
const LOCK = `
  SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
  LOCK TABLE naming_authority, handle_user, api_key, change_offset IN ACCESS SHARE MODE;
  LOCK TABLE identifier, alternate_identifier, change, request, request_part, position_gate IN ROW EXCLUSIVE MODE`;

/** $1: the process that waits. Returns the oldest transaction that blocks this process; pid 0 is a prepared transaction. */
const BLOCKER = `
  SELECT (SELECT relation::regclass::text FROM pg_locks l WHERE l.pid = $1 AND NOT granted) AS "table", pid, usename AS "user", state,
         round(extract(epoch FROM clock_timestamp() - xact_start))::int AS "ageSeconds"
  FROM unnest(pg_blocking_pids($1)) AS blocking (pid) LEFT JOIN pg_stat_activity USING (pid)
  ORDER BY xact_start LIMIT 1`;

/** The session that locks a table. Fields are null where the role of the service may not see them. */
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

/** Detects a table lock that prevents mints or changes. */
@Injectable()
export class LockProbe {
  constructor(
    @Inject(PROBE_POOL) private readonly pool: pg.Pool,
    private readonly commits: CommitWatch,
  ) {}

  /** @returns null if no table is locked, a write was completed meanwhile, or the database does not respond. Throws nothing. */
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
