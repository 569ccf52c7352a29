import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SessionSettings, poolSettings } from '../../../dist/database/session-settings.js';
import { IdentifierPages } from '../../../dist/storage/identifiers/identifier-pages.js';
import type { PageFilter } from '../../../dist/storage/identifiers/page-filter.js';
import type { PageCursor, PageOrder } from '../../../dist/storage/identifiers/page-range.js';
import { createDatabase, startInstalled } from '../harness/database.js';
import { isInstalled } from '../harness/postgres.js';

// Real: the pages of the built service on a filled database, in both versions of PostgreSQL. PostgreSQL counts the rows that they
// read and explains their plans.

const ROWS = 100_000;

/** The later ones have no metadata ID. */
const WITH_METADATA = 90_000;

/** Entries of the indexes that tell where a page ends, and the rows up to there; a page compares 21,000
 * rows, and one of 1,000 records reads some twice. */
const MOST_READ = 45_000;

/** Of the indexes, to find where a page ends: about 200 entries are in a block. All identifiers have 500 blocks of each index. */
const MOST_BLOCKS = 300;

/**
 * Nearly all have a target. The naming authority 2 has the last thousand. Half of the withdrawn ones
 * are at the end. Each tenth was changed by "other", and one of a thousand of these by "mover".
 */
const FILL = `
  INSERT INTO naming_authority (id, prefix) VALUES (1, '100.102'), (2, '2000.01'), (3, '20.1000'), (4, '20.1001');
  INSERT INTO identifier (id, naming_authority_id, guid, metadata_id, metadata_key, target, created_at, state, withdrawn_at,
                          withdrawal_reason_code, withdrawal_reason, version, position, client, is_first_event)
  SELECT n, CASE WHEN n > ${ROWS - 1000} THEN 2 WHEN n % 1000 = 3 THEN 3 ELSE 1 END, gen_random_uuid(),
         CASE WHEN n <= ${WITH_METADATA} THEN 'hdl:20.1000/' || n END,
         CASE WHEN n <= ${WITH_METADATA} THEN encode(substring(sha256(convert_to('hdl:20.1000/' || n, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid END,
         CASE WHEN n % 40000 <> 7 THEN 'https://' || CASE WHEN n % 50 = 0 THEN 'old' ELSE 'repo' END || '.example.org/%7E' || n % 3000 END,
         t, s, CASE s WHEN 'withdrawn' THEN t END, CASE s WHEN 'withdrawn' THEN 'other' END, CASE s WHEN 'withdrawn' THEN 'test' END,
         CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END, n, 'minter', n % 10 <> 0
  FROM generate_series(1, ${ROWS}) n, LATERAL (SELECT timestamptz '2026-01-01' + (n / 3) * interval '1 second' AS t,
       CASE WHEN n % 400 = 1 OR n > ${ROWS - 300} THEN 'withdrawn' ELSE 'active' END AS s) x;
  INSERT INTO change (position, identifier_id, naming_authority_id, version, kind, client, patch)
  SELECT position, id, naming_authority_id, 1, 'minted', 'minter', '[]' FROM identifier WHERE version = 2;
  INSERT INTO change (position, identifier_id, naming_authority_id, version, kind, client, patch)
  SELECT position, id, naming_authority_id, 2, 'changed', CASE WHEN id % 10000 = 0 THEN 'mover' ELSE 'other' END, '[]'
  FROM identifier WHERE version = 2;`;

/** Filters that a partial index or no index serves, each with the same condition in plain SQL. */
const FILTERS: [string, PageFilter, string][] = [
  ['no target', { hasTarget: false }, 'target IS NULL'],
  ['no metadata ID', { hasMetadata: false }, 'metadata_id IS NULL'],
  [
    'no target, in a naming authority',
    { hasTarget: false, namingAuthority: '20.1000' },
    'target IS NULL AND naming_authority_id = 3',
  ],
  [
    'no metadata ID, in a naming authority',
    { hasMetadata: false, namingAuthority: '20.1000' },
    'metadata_id IS NULL AND naming_authority_id = 3',
  ],
  ['withdrawn', { state: 'withdrawn' }, "state = 'withdrawn'"],
  [
    'withdrawn, in a naming authority',
    { state: 'withdrawn', namingAuthority: '20.1000' },
    "state = 'withdrawn' AND naming_authority_id = 3",
  ],
  ['reserved', { state: 'reserved' }, 'false'],
  [
    'active and late',
    { state: 'active', createdFrom: new Date('2026-01-01T07:00:00Z') },
    "state = 'active' AND created_at >= '2026-01-01T07:00:00Z'",
  ],
  [
    'several naming authorities',
    { namingAuthorities: ['2000.01', '20.1000', '20.1001'] },
    'naming_authority_id IN (2, 3)',
  ],
  [
    'a target, in a naming authority',
    { target: 'https://repo.example.org/%7E3', namingAuthority: '20.1000' },
    "target = 'https://repo.example.org/%7E3' AND naming_authority_id = 3",
  ],
  [
    'the begin of a target',
    { targetPrefix: 'https://old.example.org/%7E1' },
    "target LIKE 'https://old.example.org/\\%7E1%'",
  ],
  ['the begin of no target', { targetPrefix: 'https://old.example.org/~' }, 'false'],
  ['changed by a client', { changedBy: 'mover' }, 'id % 10000 = 0'],
  ['changed by many', { changedBy: 'other' }, 'id % 10 = 0 AND id % 10000 <> 0'],
  ['minted, but not changed, by a client', { changedBy: 'minter' }, 'false'],
];

/** Filters that only the time of minting narrows. */
const ESTIMATED = ['active and late', 'the begin of a target', 'the begin of no target'];

const machines = [
  { title: 'on PostgreSQL 15', isThere: isInstalled(15), open: () => startInstalled(15) },
  {
    title: 'on the PostgreSQL of the tests',
    isThere: true,
    open: async () => {
      const database = await createDatabase();
      return { url: database.url, stop: () => database.drop() };
    },
  },
];

describe.each(machines.filter(({ isThere }) => isThere))('pages of filters without an index, $title', ({ open }) => {
  let database: { readonly url: string; stop(): Promise<void> };
  let client: pg.Client;
  let pages: IdentifierPages;
  /** The texts and values of the statements of the last page. */
  let statements: { text: string; values: unknown[] }[] = [];

  beforeAll(async () => {
    database = await open();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await new SessionSettings(poolSettings('auto'), () => {}).apply(client);
    await client.query(FILL);
    await client.query('VACUUM ANALYZE');
    const query = (statement: { text: string; values: unknown[] }) => {
      statements.push(statement);
      return client.query(statement);
    };
    pages = new IdentifierPages({ query } as never);
  });
  afterAll(async () => {
    await client.end();
    await database.stop();
  });

  const rowsRead = async (): Promise<number> => {
    const { rows } = await client.query<{ read: number }>(
      `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_xact_user_tables
       WHERE relname IN ('identifier', 'change', 'alternate_identifier')`,
    );
    return rows[0]?.read ?? 0;
  };

  /** All pages in turn: the ids in their order, and the most rows that one page reads. */
  async function walk(filter: PageFilter, order: PageOrder, limit: number) {
    const ids: number[] = [];
    let [most, after]: [number, PageCursor | undefined] = [0, undefined];
    await client.query('BEGIN');
    let before = await rowsRead();
    do {
      const { records, next } = await pages.page(filter, { limit, order, after });
      expect(records.length).toBeLessThanOrEqual(limit);
      ids.push(...records.map(({ id }) => Number(id)));
      after = next ?? undefined;
      const now = await rowsRead();
      most = Math.max(most, now - before);
      before = now;
    } while (after !== undefined);
    await client.query('ROLLBACK');
    return { ids, most };
  }

  it.each(FILTERS)('have each identifier once, in both orders, and read few: %s', async (_, filter, sql) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM identifier WHERE ${sql} ORDER BY created_at, id`,
    );
    const expected = rows.map(({ id }) => Number(id));
    for (const order of ['createdAt', '-createdAt'] as const) {
      const { ids, most } = await walk(filter, order, 1000);
      expect(ids).toEqual(order === 'createdAt' ? expected : expected.toReversed());
      expect(most).toBeLessThanOrEqual(MOST_READ);
    }
  });

  it('read the partial index alone, in order, of what is missing', async () => {
    for (const [filter, index] of [
      [{ hasTarget: false }, 'identifier_no_target_idx'],
      [{ hasMetadata: false }, 'identifier_no_metadata_idx'],
    ] as const) {
      statements = [];
      await pages.page(filter, { limit: 50 });
      expect(statements).toHaveLength(1);
      const { text, values } = statements[0]!;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Scan using ${index} on identifier i`);
    }
  });

  it.each(FILTERS)('do not read whole tables, nor all events of a client: %s', async (_, filter) => {
    statements = [];
    await pages.page(filter, { limit: 50 });
    for (const { text, values } of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/Seq Scan on (?:identifier|change)\b/);
      // A look-up of an end reads entries of indexes only, and stops at the end of its range.
      const [, blocks] = /Buffers: shared hit=([0-9]+)/.exec(plan) ?? [];
      if (text.includes('AS index')) expect(Number(blocks)).toBeLessThan(MOST_BLOCKS);
      if (text.includes('FROM change'))
        expect(plan).toMatch(/Index (?:Only )?Scan using change_identifier_key on change/);
    }
  });

  it.each(FILTERS.filter(([, { changedBy }]) => changedBy === undefined))(
    'have an exact total where 20,000 comparisons suffice, else an estimate: %s',
    async (title, filter, sql) => {
      const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int FROM identifier WHERE ${sql}`);
      const total = await pages.count(filter);
      expect(total.isExact).toBe(!ESTIMATED.includes(title));
      if (total.isExact) expect(total.value).toBe(rows[0]!.count);
      else expect(total.value).toBeGreaterThan(0);
    },
  );
});
