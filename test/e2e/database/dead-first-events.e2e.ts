import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { RESTART } from '../../../dist/storage/changes/change-reader.js';
import { LOG_HEAD, logPage } from '../../../dist/storage/changes/log-page.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';

// Real: identifiers that were all changed while a snapshot was held, as by pg_dump, so that no index forgets their first events.

const DEAD = 200_000;

/** The indexes of other columns would only take time. */
const FILL = `
  UPDATE change_offset SET value = 1000000000000;
  INSERT INTO naming_authority (id, prefix) VALUES (1, '100.102');
  DROP INDEX identifier_guid_key, identifier_created_idx, identifier_authority_idx;
  INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event)
  SELECT 1, gen_random_uuid(), 'anonymous', n, true FROM generate_series(1, ${DEAD}) n;`;

const CHANGE = `
  WITH appended AS (
    INSERT INTO change (position, id, naming_authority_id, identifier_id, version, kind, client, patch)
    SELECT position, id, 1, id, 1, 'minted', 'anonymous', '[]' FROM identifier
    UNION ALL
    SELECT 1000000 + id, 1000000 + id, 1, id, 2, 'changed', 'anonymous', '[]' FROM identifier
  )
  UPDATE identifier SET version = 2, is_first_event = false;
  ANALYZE identifier, change;
  INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event)
  SELECT 1, gen_random_uuid(), 'anonymous', 2000000 + n, true FROM generate_series(1, 50) n;`;

let database: TestDatabase;
let client: pg.Client;
let dump: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  [client, dump] = [database.url, database.url].map((connectionString) => new pg.Client({ connectionString })) as [
    pg.Client,
    pg.Client,
  ];
  await Promise.all([client.connect(), dump.connect()]);
  await client.query(FILL);
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
  await client.query(CHANGE);
  // A session reads catalogs for its first statement.
  await client.query(LOG_HEAD);
}, 60_000);
afterAll(async () => {
  await Promise.all([client.end(), dump.end()]);
  await database.drop();
});

interface Plan {
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** The pages that a statement reads of the log, by the indexes of its halves. */
async function pagesReadBy({ text, values = [] }: pg.QueryConfig): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  const sum = (plan: Plan): number => {
    if (/^(identifier_event_idx|change_pkey)$/.test(plan['Index Name'] ?? '')) {
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
    return (plan.Plans ?? []).reduce((pages, part) => pages + sum(part), 0);
  };
  return sum(rows[0]!['QUERY PLAN'][0].Plan);
}

const page = (position: bigint, order: 'at' | '-at') =>
  logPage({ position, id: 0n }, { limit: 100, order, filter: null }, 101);

describe('a log whose first events have all been changed while a snapshot is held', () => {
  it.each([
    ['the first page', page(0n, 'at')],
    ['a page from the middle', page(100_000n, 'at')],
    ['a page behind all first events', page(1_100_000n, 'at')],
    ['the last page', page(1_199_990n, 'at')],
    ['first events that have not changed', page(2_000_000n, 'at')],
    ['the newest events', page(9_000_000n, '-at')],
    ['events before the middle', page(100_000n, '-at')],
    ['the oldest events, backwards', page(10n, '-at')],
    ['the last event', { text: LOG_HEAD }],
    ['the place to start again', { text: RESTART, values: [1_190_000, 65_536] }],
  ])('reads few pages for %s', async (_, query) => {
    // Four for each first event that has not changed, whose patch is built, and twice.
    expect(await pagesReadBy(query)).toBeLessThan(500);
  });

  it('has every event in its order, forwards and backwards', async () => {
    const positions = async (query: pg.QueryConfig): Promise<string[]> =>
      (await client.query<{ position: string }>(query)).rows.map(({ position }) => position);
    const from = Array.from({ length: 101 }, (_, n) => String(199_950 + n));
    expect((await positions(page(199_950n, 'at'))).slice(0, 51)).toEqual(from.slice(0, 51));
    expect((await positions(page(200_050n, '-at'))).slice(0, 50)).toEqual(from.slice(1, 51).reverse());
    expect(await positions({ text: LOG_HEAD })).toEqual(['2000050']);
  });
});
