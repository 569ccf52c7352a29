import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { PositionOffset } from '../../src/storage/changes/position-offset.js';
import { Transactions } from '../../src/storage/transactions.js';

/** The time limit of a COMMIT that follows a statement of some milliseconds. */
async function limitOfCommit(statementTimeoutMs: number, connectTimeoutMs: number): Promise<number | undefined> {
  const sent: (string | pg.QueryConfig)[] = [];
  const client = {
    query: (text: string | pg.QueryConfig) => {
      sent.push(text);
      return Promise.resolve({ rows: [] });
    },
    release: () => undefined,
    on: () => undefined,
    off: () => undefined,
  };
  const options = { query_timeout: statementTimeoutMs + 1000, connectionTimeoutMillis: connectTimeoutMs, max: 1 };
  const pool = { options, connect: () => Promise.resolve(client) } as never;
  const offset = Object.assign(new PositionOffset(), { hasCompared: () => true });
  const transactions = new Transactions(pool, pool, null, undefined, offset);
  await transactions.run((on) => on.query('SELECT 1'));
  const commit = sent.at(-1) as pg.QueryConfig & { query_timeout?: number };
  expect(commit.text).toMatch(/COMMIT$/);
  return commit.query_timeout;
}

describe('the time limit of a commit', () => {
  it('is what is left of the time for a connection and the statement, less that of the request', async () => {
    const limit = await limitOfCommit(9000, 5000);
    expect(limit).toBeLessThanOrEqual(11_000);
    expect(limit).toBeGreaterThan(9000);
  });

  it('is at least four seconds', async () => {
    expect(await limitOfCommit(500, 1000)).toBe(4000);
  });
});
