import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL } from '../database/pool.js';
import { Problem } from '../problem/problem.js';
import { isConnectionLost } from '../problem/database-errors.js';

/** A connection, or the pool where one statement is all there is to do. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** How often a transaction is tried that lost against another one. */
const MAX_ATTEMPTS = 5;

/** Deadlock and serialization failure: nothing was written, and the same transaction may well succeed now. */
const LOST_AGAINST_ANOTHER = new Set(['40P01', '40001']);

/** Runs work that is written as a whole or not at all. */
@Injectable()
export class Transactions {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
  ) {}

  /**
   * Runs several statements as one transaction.
   * @param work is repeated when its transaction lost against another one, so it touches nothing but the database.
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost in the commit.
   */
  async run<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return this.repeat(this.pool, async (client) => {
      let committing = false;
      try {
        await client.query('BEGIN');
        const result = await work(client);
        committing = true;
        await client.query('COMMIT');
        return result;
      } catch (error) {
        if (isConnectionLost(error)) throw committing ? outcomeUnknown(error) : error;
        await client.query('ROLLBACK');
        throw error;
      }
    });
  }

  /**
   * Runs one prepared statement, which is a transaction by itself.
   * @throws Problem OUTCOME_UNKNOWN when the connection was lost while it ran.
   */
  async statement<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return this.repeat(this.hot, async (client) => {
      try {
        return await work(client);
      } catch (error) {
        throw isConnectionLost(error) ? outcomeUnknown(error) : error;
      }
    });
  }

  private async repeat<T>(pool: pg.Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await pool.connect();
      try {
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        // A connection is lent again only when nothing can be wrong with it.
        client.release(!(error instanceof pg.DatabaseError || (error instanceof Problem && error.cause === undefined)));
        const code = error instanceof pg.DatabaseError ? error.code : undefined;
        if (code === undefined || !LOST_AGAINST_ANOTHER.has(code) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/** What to tell when the connection was lost while the database may have committed. */
function outcomeUnknown(cause: unknown): Problem {
  const detail =
    'The connection to the database was lost in the commit, so nobody knows whether it took place. Send the same request ' +
    'again, with the same Idempotency-Key or metadata ID: it takes effect once.';
  const problem = new Problem('OUTCOME_UNKNOWN', detail, { headers: { 'retry-after': '1' } });
  problem.cause = cause;
  return problem;
}
