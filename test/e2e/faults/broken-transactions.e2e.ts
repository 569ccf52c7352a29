import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../dist/config/config.js';
import { type Pools, createPools } from '../../../dist/database/pool.js';
import { createLogger } from '../../../dist/logging/logger.js';
import { problemOf } from '../../../dist/problem/send-problem.js';
import { Problem } from '../../../dist/problem/problem.js';
import { type Queryable, Transactions } from '../../../dist/storage/transactions.js';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

// Real: the pools and transactions of the built service, on a PostgreSQL whose sessions are terminated or silenced.
let database: TestDatabase;
let proxy: TcpProxy;
let pools: Pools;
let transactions: Transactions;

beforeAll(async () => {
  database = await createDatabase();
  proxy = await TcpProxy.before(database.url);
  const url = proxy.addressOf(database.url);
  const limits = {
    DATABASE_STATEMENT_TIMEOUT_MS: '1500',
    DATABASE_CONNECT_TIMEOUT_MS: '1500',
    DATABASE_POOL_SIZE: '1',
  };
  pools = createPools(url, readConfig({ DATABASE_URL: url, ACCESS: 'open', ...limits }), createLogger('silent'));
  transactions = new Transactions(pools.general, pools.hot);
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([pools.general.end(), pools.hot.end()]);
  await database.drop();
});

/** Terminates the session of a transaction between two of its statements, and waits until `pg` has read the message. */
async function terminate(transaction: Queryable): Promise<void> {
  const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await query(database.url, 'SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await pause(300);
}

const outcomeOf = (work: (transaction: Queryable) => Promise<unknown>) =>
  transactions.run(work).then(
    () => 'committed',
    (error: unknown) => problemOf(error).code,
  );

describe('a transaction whose connection breaks between two statements', () => {
  it('is DATABASE_UNAVAILABLE at its next statement', async () => {
    const outcome = await outcomeOf(async (transaction) => {
      await terminate(transaction);
      await transaction.query('SELECT 1');
    });
    expect(outcome).toBe('DATABASE_UNAVAILABLE');
  });

  it('keeps the rejection that was decided meanwhile, although ROLLBACK fails', async () => {
    const outcome = await outcomeOf(async (transaction) => {
      await terminate(transaction);
      throw new Problem('WRONG_STATE', 'a decision without the database');
    });
    expect(outcome).toBe('WRONG_STATE');
    expect(await outcomeOf((transaction) => transaction.query('SELECT 1'))).toBe('committed');
  });

  it('does not use a connection again whose ROLLBACK had no response', async () => {
    const outcome = await outcomeOf(async () => {
      await proxy.set('silent');
      throw new Problem('WRONG_STATE', 'a decision without the database');
    });
    expect(outcome).toBe('WRONG_STATE');
    await proxy.set('pass');
    expect(await outcomeOf((transaction) => transaction.query('SELECT 1'))).toBe('committed');
  });
});

describe('a transaction that a decision ends', () => {
  class Rejected extends Error {}
  const session = (): Promise<number> =>
    transactions.run(async (transaction) => {
      const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      return rows[0]?.pid ?? 0;
    });

  it('returns its connection to the pool, whatever the class of the error', async () => {
    const before = await session();
    await expect(transactions.run(() => Promise.reject(new Rejected()))).rejects.toThrow(Rejected);
    expect(await session()).toBe(before);
  });
});

describe('a transaction during which the event loop is blocked for longer than all limits', () => {
  /** Longer than the limits of statements and connections of this file together. */
  const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);

  it('leaves no session in a transaction, and the next insert is visible to other sessions', async () => {
    await query(database.url, 'CREATE TABLE blocked (n int)');
    const insert = (n: number) => outcomeOf((transaction) => transaction.query('INSERT INTO blocked VALUES ($1)', [n]));
    const held = outcomeOf(async (transaction) => {
      await transaction.query('INSERT INTO blocked VALUES (1)');
      const sent = transaction.query('SELECT pg_sleep(0.1)');
      await pause(20);
      block();
      await sent;
      await transaction.query('INSERT INTO blocked VALUES (2)');
    });
    // Waits for the only connection of the pool.
    const [outcome, waiting] = await Promise.all([held, insert(3)]);
    const inserted = [...(outcome === 'committed' ? [1, 2] : []), ...(waiting === 'committed' ? [3] : [])];
    expect(await insert(4)).toBe('committed');
    const open =
      "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mintmark' AND state <> 'idle'";
    const until = Date.now() + 2000;
    while ((await query(database.url, open)).length > 0 && Date.now() < until) await pause(50);
    expect(await query(database.url, open)).toEqual([]);
    const rows = await query(database.url, 'SELECT n FROM blocked ORDER BY n');
    expect(rows.map(({ n }) => n)).toEqual([...inserted, 4]);
  });
});

describe('a pool whose only connection is in use for longer than the limit of a wait', () => {
  const SELECT = 'SELECT 1';

  /** The outcome of a transaction that waits for the connection of another one, which runs `work` until then. */
  async function waitWhile(work: (transaction: Queryable, isOver: () => boolean) => Promise<unknown>): Promise<string> {
    let over = false;
    const held = new AbortController();
    const holding = outcomeOf(async (transaction) => {
      await transaction.query(SELECT);
      held.abort();
      await work(transaction, () => over);
    });
    while (!held.signal.aborted) await pause(5);
    const outcome = await outcomeOf((transaction) => transaction.query(SELECT));
    over = true;
    await holding;
    return outcome;
  }

  it('is OVERLOADED while the database completes statements', async () => {
    const outcome = await waitWhile(async (transaction, isOver) => {
      while (!isOver()) {
        await transaction.query(SELECT);
        await pause(20);
      }
    });
    expect(outcome).toBe('OVERLOADED');
  });

  it('is DATABASE_UNAVAILABLE while the database is silent', async () => {
    const outcome = await waitWhile(async (transaction) => {
      await proxy.set('silent');
      await transaction.query(SELECT);
    });
    await proxy.set('pass');
    expect(outcome).toBe('DATABASE_UNAVAILABLE');
  });
});

describe('an error of a statement', () => {
  const codeOf = async (sql: string) => outcomeOf((transaction) => transaction.query(sql));

  it('is STATEMENT_TIMEOUT for a statement over its limit, and nothing else is called that', async () => {
    expect(await codeOf('SELECT pg_sleep(30)')).toBe('STATEMENT_TIMEOUT');
    expect(await codeOf('SELECT 1 / 0')).toBe('INTERNAL_ERROR');
  });

  it.each(['55P03', '40001', '40P01'])(
    'is CONFLICT_IN_PROGRESS where another transaction was in the way: %s',
    async (state) => {
      expect(await codeOf(`DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '${state}'; END $$`)).toBe(
        'CONFLICT_IN_PROGRESS',
      );
    },
  );

  it.each(['53100', '53300', '57P03', '25006', '25P03'])('is DATABASE_UNAVAILABLE for %s', (state) => {
    const raised = Object.assign(new Error('raised'), { code: state });
    expect(problemOf(raised).code).toBe('DATABASE_UNAVAILABLE');
  });
});
