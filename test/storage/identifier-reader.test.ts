import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { IdentifierReader } from '../../src/storage/identifiers/identifier-reader.js';

const MOST = { items: 1000, bytes: 1_000_000 };

/** Reads as many identifiers, which do not exist. @returns the pool and the name of each statement. */
async function statementsFor(count: number): Promise<string[]> {
  const statements: string[] = [];
  const pool = (pool: string) =>
    ({
      query: ({ name }: pg.QueryConfig) => {
        statements.push(`${pool}: ${name ?? 'unnamed'}`);
        return Promise.resolve({ rows: [] });
      },
    }) as unknown as pg.Pool;
  const ids = Array.from({ length: count }, (_, i) => BigInt(i));
  for await (const { part } of new IdentifierReader(pool('general'), pool('hot')).inParts(ids, (id) => [id], MOST))
    if (part.length > 0) break;
  return statements;
}

describe('the records of replays', () => {
  it('are read by a statement that the hot pool has prepared, if they are few', async () => {
    expect((await statementsFor(1))[0]).toBe('hot: by-ids');
    expect((await statementsFor(64))[0]).toBe('hot: first-by-ids');
  });

  it('are read by a statement that is planned for their number, if they are many', async () => {
    expect((await statementsFor(65))[0]).toBe('general: unnamed');
  });
});
