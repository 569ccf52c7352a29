import { Inject, Injectable, Optional } from '@nestjs/common';
import pg from 'pg';
import { ConnectionPool, PoolBusyError } from '../database/connection-pool.js';
import { CommitWatch, acknowledged } from '../database/commit-watch.js';
import { HOT_LOCK_WAIT_MS, HOT_POOL } from '../database/pool.js';
import { isConnectionLost, isLockTimeout, isOfOtherServer } from '../problem/database-errors.js';
import { notSent, outcomeUnknown } from '../problem/storage-problems.js';
import { PositionOffset } from './changes/position-offset.js';
import { type Touched, takeTouched } from './touched.js';
import { WriteSlots } from './write-slots.js';

export type Queryable = Pick<pg.ClientBase, 'query'>;

const MAX_ATTEMPTS = 5;

/** Deadlock and serialization failure: nothing was written. */
const LOST_AGAINST_ANOTHER = new Set(['40P01', '40001']);

/**
 * Makes the commit of a transaction wait for the synchronous standby, if one is configured: only a commit with a transaction
 * number and a record in the write-ahead log waits. `pg_logical_emit_message` writes both, at every `wal_level` and for every role.
 */
const WRITE_RECORD = "pg_logical_emit_message(true, 'mintmark', '')";

/**
 * Whether a synchronous standby is configured, which the cluster manager can change at any time; also true at a server in recovery,
 * where the wait is rejected: what it has may be lost when another one is promoted. A column of a statement.
 */
export const HAS_STANDBY = "(current_setting('synchronous_standby_names') <> '' OR pg_is_in_recovery())";

const WAIT = `SELECT CASE WHEN ${HAS_STANDBY} THEN ${WRITE_RECORD} END`;

/**
 * A transaction that wrote nothing returns what others wrote: an earlier result, or values that need no change. One of them may be
 * committed on this server only, because its session ended while it waited for the standby.
 */
const COMMIT = `SELECT CASE WHEN ${HAS_STANDBY} AND pg_current_xact_id_if_assigned() IS NULL THEN ${WRITE_RECORD} END; COMMIT`;

/** `brief` is `HOT_LOCK_WAIT_MS`, `usual` the lock timeout of the general pool, a number milliseconds. */
export type LockWait = 'brief' | 'usual' | number;

export function lockWaitMs(wait: LockWait): number | undefined {
  if (wait === 'brief') return HOT_LOCK_WAIT_MS;
  return wait === 'usual' ? undefined : wait;
}

interface Loan {
  /** Whether the connection can be used again after an error. */
  isSound: boolean;
  /** When the commit is given up, as `performance.now`; the wait for the connection counts. */
  readonly commitUntil: number;
}

/** The injection token of a `TransactionListener`. */
export const TRANSACTION_LISTENER = Symbol('TRANSACTION_LISTENER');

export interface TransactionListener {
  /** Called with what a transaction changed, after its end in any way and before its result is used. */
  forget(touched: Touched): void;
}

@Injectable()
export class Transactions {
  private readonly slots: WriteSlots;
  private readonly hotSlots: WriteSlots;

  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
    @Optional() @Inject(TRANSACTION_LISTENER) private readonly listener: TransactionListener | null = null,
    @Optional() private readonly commits: CommitWatch = new CommitWatch(),
    @Optional() private readonly offset: PositionOffset = new PositionOffset(),
  ) {
    const slotsOf = (of: pg.Pool) =>
      new WriteSlots(of.options.max, this.maxWaitMs, (since) => this.rejection(of, since));
    this.slots = slotsOf(pool);
    this.hotSlots = slotsOf(hot);
  }

  /** The writes that wait for a place among those of their pool. */
  get waiting(): number {
    return this.slots.waiting + this.hotSlots.waiting;
  }

  /** Milliseconds that a request waits for a connection: `DATABASE_CONNECT_TIMEOUT_MS`. */
  get maxWaitMs(): number {
    return this.hot.options.connectionTimeoutMillis ?? Infinity;
  }

  /**
   * Milliseconds for a connection and a commit together: `maxWaitMs` and `DATABASE_STATEMENT_TIMEOUT_MS`, less the time that the rest of
   * a request may take.
   */
  private get maxTotalMs(): number {
    const { statement_timeout: statement } = this.hot.options;
    if (typeof statement !== 'number') return Infinity;
    return Math.max(statement, this.maxWaitMs + statement - REST_OF_REQUEST_MS);
  }

  /**
   * Runs statements as one transaction.
   * @param work may run again, so it must change only the database.
   * @param lockWaitMs the lock timeout; by default that of the session.
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost in the commit.
   */
  async run<T>(work: (transaction: Queryable) => Promise<T>, lockWaitMs?: number): Promise<T> {
    const begin = lockWaitMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockWaitMs}`;
    return this.repeat(this.pool, (client, loan) => inTransaction(client, loan, begin, this.commits, work));
  }

  /** Runs one statement, a transaction by itself. @throws Problem OUTCOME_UNKNOWN when the connection was lost. */
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
      // The hot pool is small: statements that wait use the other one.
      return this.run(work);
    }
  }

  /**
   * Returns when the synchronous standby has everything that was visible before, for results that were read without a transaction
   * (`HAS_STANDBY`).
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost.
   */
  async waitForStandby(): Promise<void> {
    await this.statement(async (on) => on.query(WAIT), 'brief');
  }

  private async repeat<T>(pool: pg.Pool, work: (client: pg.PoolClient, loan: Loan) => Promise<T>): Promise<T> {
    const commitUntil = performance.now() + this.maxTotalMs;
    const slots = pool === this.hot ? this.hotSlots : this.slots;
    const entering = slots.enter();
    if (entering !== null) await entering;
    try {
      return await this.attempt(pool, commitUntil, work);
    } finally {
      slots.leave();
    }
  }

  /** The error of a write that waited in vain for others: while commits stand, statements that complete are those of reads. */
  private rejection(pool: pg.Pool, since: number): Error {
    const isStanding = this.commits.isDoubtful;
    const isBusy = !isStanding && pool instanceof ConnectionPool && pool.completedSince(since);
    return isBusy ? new PoolBusyError('the writes of the pool were not completed in time') : notSent();
  }

  private async attempt<T>(
    pool: pg.Pool,
    commitUntil: number,
    work: (client: pg.PoolClient, loan: Loan) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await pool.connect();
      const loan: Loan = { isSound: false, commitUntil };
      try {
        if (!this.offset.hasCompared(client)) await this.offset.compare(client);
        const result = await work(client, loan);
        client.release();
        return result;
      } catch (error) {
        client.release(!loan.isSound);
        const code = error instanceof pg.DatabaseError ? error.code : undefined;
        if (code === undefined || !LOST_AGAINST_ANOTHER.has(code) || attempt === MAX_ATTEMPTS) throw error;
      } finally {
        // Also after an error: the commit may have taken effect.
        const touched = takeTouched(client);
        if (touched !== null) this.listener?.forget(touched);
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
    // The server rolls back when the connection is lost; report the first error.
    await client.query('ROLLBACK').then(
      () => (loan.isSound = !isOfOtherServer(error)),
      () => null,
    );
    throw error;
  }
}

/** For the work before and after a transaction on a busy machine. */
const REST_OF_REQUEST_MS = 3000;

/** A transaction of many statements may take long, so its commit has this time in any case. */
const LEAST_COMMIT_MS = 4000;

/** The commit may wait for the standby, after the transaction waited for a connection and for locks. */
function commitWithin(until: number): pg.QueryConfig {
  const leftMs = Math.max(until - performance.now(), LEAST_COMMIT_MS);
  const limit = Number.isFinite(leftMs) ? { query_timeout: Math.ceil(leftMs) } : {};
  return { text: COMMIT, ...limit };
}

/** Ends the connection at a time, so that its statement fails. */
function endLater(client: pg.PoolClient, at: number): NodeJS.Timeout | undefined {
  if (!Number.isFinite(at)) return undefined;
  const end = (): void => void (client as unknown as pg.Client).end().catch(() => null);
  return setTimeout(end, Math.max(at - performance.now(), LEAST_COMMIT_MS)).unref();
}
