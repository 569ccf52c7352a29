import { Inject, Injectable, Optional } from '@nestjs/common';
import pg from 'pg';
import { ConnectionPool, PoolBusyError } from '../database/connection-pool.js';
import { CommitWatch, acknowledged } from '../database/commit-watch.js';
import { HOT_LOCK_WAIT_MS, HOT_POOL, RESPONSE_GRACE_MS } from '../database/pool.js';
import { isConnectionLost, isLockTimeout, isOfOtherServer } from '../problem/database-errors.js';
import { notSent, outcomeUnknown } from '../problem/storage-problems.js';
import { PositionOffset } from './changes/position-offset.js';
import { RecordCache } from './identifiers/cache/record-cache.js';
import { takeTouched } from './touched.js';
import { WriteSlots } from './write-slots.js';

export type Queryable = Pick<pg.ClientBase, 'query'>;

const MAX_ATTEMPTS = 5;

/** SQLSTATEs of deadlocks and serialization failures, after which nothing was written. */
const LOST_AGAINST_ANOTHER = new Set(['40P01', '40001']);

/**
 * Makes the commit of a transaction wait for the synchronous standby, if there is one. Only a commit with a transaction number and a WAL
 * record waits. `pg_logical_emit_message` creates both, at every `wal_level` and for every role.
 */
const WRITE_RECORD = "pg_logical_emit_message(true, 'mintmark', '')";

/**
 * SQL expression: whether a synchronous standby is configured, which the cluster manager can change at any time. It is true even on a
 * server in recovery: the wait then fails, because the data of this server may be lost when another one is promoted.
 */
export const HAS_STANDBY = "(current_setting('synchronous_standby_names') <> '' OR pg_is_in_recovery())";

const WAIT = `SELECT CASE WHEN ${HAS_STANDBY} THEN ${WRITE_RECORD} END`;

/**
 * Waits for the standby even if the transaction wrote nothing, because its result depends on what another transaction wrote: an earlier
 * result, or values that need no change. The standby may lack that transaction if its session ended while it waited for the standby.
 */
const COMMIT = `SELECT CASE WHEN ${HAS_STANDBY} AND pg_current_xact_id_if_assigned() IS NULL THEN ${WRITE_RECORD} END; COMMIT`;

/** A lock timeout: `brief` is `HOT_LOCK_WAIT_MS`, `usual` is the timeout of the general pool, and a number is in milliseconds. */
export type LockWait = 'brief' | 'usual' | number;

export function lockWaitMs(wait: LockWait): number | undefined {
  if (wait === 'brief') return HOT_LOCK_WAIT_MS;
  return wait === 'usual' ? undefined : wait;
}

interface Loan {
  /** Whether the connection can be used again after an error. */
  isSound: boolean;
  /** Deadline of the commit, as a time of `performance.now`; the wait for the connection counts towards it. */
  readonly commitUntil: number;
}

@Injectable()
export class Transactions {
  private readonly slots: WriteSlots;
  private readonly hotSlots: WriteSlots;

  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
    @Optional() @Inject(RecordCache) private readonly cache: RecordCache | null = null,
    @Optional() private readonly commits: CommitWatch = new CommitWatch(),
    @Optional() private readonly offset: PositionOffset = new PositionOffset(),
  ) {
    const slotsOf = (of: pg.Pool) =>
      new WriteSlots(of.options.max, this.maxWaitMs, (since) => this.rejection(of, since));
    this.slots = slotsOf(pool);
    this.hotSlots = slotsOf(hot);
  }

  get waiting(): number {
    return this.slots.waiting + this.hotSlots.waiting;
  }

  /** How long a request waits for a connection: `DATABASE_CONNECT_TIMEOUT_MS`. */
  get maxWaitMs(): number {
    return this.hot.options.connectionTimeoutMillis ?? Infinity;
  }

  /**
   * Milliseconds for a connection and a commit together: `maxWaitMs` and `DATABASE_STATEMENT_TIMEOUT_MS`, less `REST_OF_REQUEST_MS`, but at
   * least `DATABASE_STATEMENT_TIMEOUT_MS`.
   */
  private get maxTotalMs(): number {
    const { query_timeout: withGrace } = this.hot.options;
    if (withGrace === undefined) return Infinity;
    const statement = withGrace - RESPONSE_GRACE_MS;
    return Math.max(statement, this.maxWaitMs + statement - REST_OF_REQUEST_MS);
  }

  /**
   * Runs statements as one transaction.
   * @param work may run again, so it must change only the database.
   * @throws Problem OUTCOME_UNKNOWN if the connection was lost during the commit.
   */
  async run<T>(work: (transaction: Queryable) => Promise<T>, lockWaitMs?: number): Promise<T> {
    const begin = lockWaitMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockWaitMs}`;
    return this.repeat(this.pool, (client, loan) => inTransaction(client, loan, begin, this.commits, work), lockWaitMs);
  }

  /** Runs one statement as a transaction. @throws Problem OUTCOME_UNKNOWN if the connection was lost. */
  async statement<T>(work: (on: Queryable) => Promise<T>, lockWait: LockWait = 'usual'): Promise<T> {
    if (typeof lockWait === 'number') return this.run(work, lockWait);
    try {
      return await this.repeat(this.hot, async (client, loan) => {
        const timer = endLater(client, loan.commitUntil);
        try {
          return await this.commits.watch(() => acknowledged(client, work(client)));
        } catch (error) {
          if (isConnectionLost(error)) throw outcomeUnknown(error);
          loan.isSound = error instanceof pg.DatabaseError && !isOfOtherServer(error);
          throw error;
        } finally {
          clearTimeout(timer);
        }
      });
    } catch (error) {
      if (lockWait === 'brief' || !isLockTimeout(error)) throw error;
      // The hot pool is small, so statements that wait for locks use the general pool.
      return this.run(work);
    }
  }

  /**
   * Waits until the synchronous standby has everything that is visible now, for results that were read without a transaction (see
   * `HAS_STANDBY`).
   * @throws Problem OUTCOME_UNKNOWN if the connection was lost.
   */
  async waitForStandby(): Promise<void> {
    await this.statement(async (on) => on.query(WAIT), 'brief');
  }

  private async repeat<T>(
    pool: pg.Pool,
    work: (client: pg.PoolClient, loan: Loan) => Promise<T>,
    lockWaitMs?: number,
  ): Promise<T> {
    const commitUntil = performance.now() + this.maxTotalMs;
    const slots = pool === this.hot ? this.hotSlots : this.slots;
    const entering = slots.enter();
    if (entering !== null) await entering;
    try {
      return await this.attempt(pool, commitUntil, work, lockWaitMs);
    } finally {
      slots.leave();
    }
  }

  /** The error of a write that got no slot in time. While commits are stalled, it does not say that the pool is busy. */
  private rejection(pool: pg.Pool, since: number): Error {
    const isStanding = this.commits.isDoubtful;
    const isBusy = !isStanding && pool instanceof ConnectionPool && pool.completedSince(since);
    return isBusy ? new PoolBusyError('the writes of the pool were not completed in time') : notSent();
  }

  private async attempt<T>(
    pool: pg.Pool,
    commitUntil: number,
    work: (client: pg.PoolClient, loan: Loan) => Promise<T>,
    lockWaitMs?: number,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await pool.connect();
      const loan: Loan = { isSound: false, commitUntil };
      try {
        if (!this.offset.hasCompared(client)) {
          await this.offset.compare(client, lockWaitMs).catch((error: unknown) => {
            loan.isSound = isLockTimeout(error);
            throw error;
          });
        }
        const result = await work(client, loan);
        client.release();
        return result;
      } catch (error) {
        client.release(!loan.isSound);
        const code = error instanceof pg.DatabaseError ? error.code : undefined;
        if (code === undefined || !LOST_AGAINST_ANOTHER.has(code) || attempt === MAX_ATTEMPTS) throw error;
      } finally {
        // Done before the result is used, and even after an error, because the commit may have taken effect.
        const touched = takeTouched(client);
        if (touched !== null) this.cache?.forget(touched);
      }
    }
  }
}

async function inTransaction<T>(
  client: Queryable,
  loan: Loan,
  begin: string,
  commits: CommitWatch,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  let committing = false;
  try {
    await client.query(begin);
    const result = await work(client);
    committing = true;
    await commits.watch(() => acknowledged(client, client.query(commitWithin(loan.commitUntil))));
    return result;
  } catch (error) {
    if (isConnectionLost(error)) throw committing ? outcomeUnknown(error) : error;
    // If the connection is lost, the server rolls back. The first error is thrown.
    await client.query('ROLLBACK').then(
      () => (loan.isSound = !isOfOtherServer(error)),
      () => null,
    );
    throw error;
  }
}

/** Time for the work before and after a transaction on a busy machine. */
const REST_OF_REQUEST_MS = 3000;

/** Minimum time for a commit, because the statements of a transaction might have used all of its time. */
const LEAST_COMMIT_MS = 4000;

/** A COMMIT that can wait for the standby until a deadline, but for at least `LEAST_COMMIT_MS`. */
function commitWithin(until: number): pg.QueryConfig {
  const leftMs = Math.max(until - performance.now(), LEAST_COMMIT_MS);
  const limit = Number.isFinite(leftMs) ? { query_timeout: Math.ceil(leftMs) } : {};
  return { text: COMMIT, ...limit };
}

/** Ends the connection at a time of `performance.now`, but not within `LEAST_COMMIT_MS`, so that its statement fails. */
function endLater(client: pg.PoolClient, at: number): NodeJS.Timeout | undefined {
  if (!Number.isFinite(at)) return undefined;
  const end = (): void => void (client as unknown as pg.Client).end().catch(() => null);
  return setTimeout(end, Math.max(at - performance.now(), LEAST_COMMIT_MS)).unref();
}
