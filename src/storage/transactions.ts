import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { HOT_LOCK_WAIT_MS, HOT_POOL } from '../database/pool.js';
import { Problem } from '../problem/problem.js';
import { isConnectionLost, isLockTimeout } from '../problem/database-errors.js';

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** How often a transaction is tried that lost against another one. */
const MAX_ATTEMPTS = 5;

/** Deadlock and serialization failure: nothing was written, and the same transaction may well succeed now. */
const LOST_AGAINST_ANOTHER = new Set(['40P01', '40001']);

/**
 * How long a statement waits for the lock of another transaction before it fails and changes nothing: `brief` for
 * `HOT_LOCK_WAIT_MS`, a number for so many milliseconds, `usual` for as long as sessions of the general pool wait.
 */
export type LockWait = 'brief' | 'usual' | number;

export function lockWaitMs(wait: LockWait): number | undefined {
  if (wait === 'brief') return HOT_LOCK_WAIT_MS;
  return wait === 'usual' ? undefined : wait;
}

/** A borrowed connection; a broken one is closed on return. */
interface Loan {
  isSpoilt: boolean;
}

/** Runs work in one transaction. */
@Injectable()
export class Transactions {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
  ) {}

  /**
   * Runs several statements as one transaction.
   * @param work is repeated when its transaction lost against another one, so it touches nothing but the database.
   * @param lockWaitMs how long a statement waits for a lock; the session's own limit when it is absent.
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost in the commit.
   */
  async run<T>(work: (transaction: Queryable) => Promise<T>, lockWaitMs?: number): Promise<T> {
    const begin = lockWaitMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockWaitMs}`;
    return this.repeat(this.pool, async (client, loan) => {
      let committing = false;
      try {
        await client.query(begin);
        const result = await work(client);
        committing = true;
        await client.query('COMMIT');
        return result;
      } catch (error) {
        if (isConnectionLost(error)) throw committing ? outcomeUnknown(error) : error;
        // Without a connection the server rolls back by itself: the error that ended the work is the one to report.
        await client.query('ROLLBACK').catch(() => {
          loan.isSpoilt = true;
        });
        throw error;
      }
    });
  }

  /**
   * Runs one prepared statement, which is a transaction by itself.
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost while it ran.
   */
  async statement<T>(work: (on: Queryable) => Promise<T>, lockWait: LockWait = 'usual'): Promise<T> {
    if (typeof lockWait === 'number') return this.run(work, lockWait);
    try {
      return await this.repeat(this.hot, async (client) => {
        try {
          return await work(client);
        } catch (error) {
          throw isConnectionLost(error) ? outcomeUnknown(error) : error;
        }
      });
    } catch (error) {
      if (lockWait === 'brief' || !isLockTimeout(error)) throw error;
      // The connections of the hot pool are few: a statement that has to wait does so on one of the others.
      return this.run(work);
    }
  }

  private async repeat<T>(pool: pg.Pool, work: (client: Queryable, loan: Loan) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await pool.connect();
      const loan: Loan = { isSpoilt: false };
      try {
        const result = await work(client, loan);
        client.release();
        return result;
      } catch (error) {
        // A connection is lent again only when nothing can be wrong with it.
        const isSound = error instanceof pg.DatabaseError || (error instanceof Problem && error.cause === undefined);
        client.release(loan.isSpoilt || !isSound);
        const code = error instanceof pg.DatabaseError ? error.code : undefined;
        if (code === undefined || !LOST_AGAINST_ANOTHER.has(code) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/** What to tell when the connection was lost while the database may have committed. */
function outcomeUnknown(cause: unknown): Problem {
  const detail =
    'The database connection was lost during the commit, so the outcome is unknown. Send the same request ' +
    'again with the same Idempotency-Key or metadata ID: it takes effect once.';
  const problem = new Problem('OUTCOME_UNKNOWN', detail, { headers: { 'retry-after': '1' } });
  problem.cause = cause;
  return problem;
}
