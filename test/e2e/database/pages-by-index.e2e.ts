import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { digestOf } from '../../../dist/registry/uuid.js';
import { IdentifierSearch } from '../../../dist/storage/identifiers/identifier-search.js';
import type { NumberedFilter } from '../../../dist/storage/identifiers/page-filter.js';
import { pageQuery } from '../../../dist/storage/identifiers/page-query.js';
import { type PageOrder, rangeOf } from '../../../dist/storage/identifiers/page-range.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';

// Real: the queries of the built service on a filled database, and the statistics of PostgreSQL about them.
let database: TestDatabase;
let client: pg.Client;

const ROWS = 200_000;

/**
 * Two naming authorities of very different size, a target that a quarter of all share, and one in a hundred withdrawn
 * or reserved. The rows are inserted by SQL.
 */
const FILL = `
  INSERT INTO naming_authority (id, prefix) VALUES (1, '100.102'), (2, '2000.01'), (3, '20.1000');
  INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key, target, created_at, updated_at, state,
                          lease_until, withdrawn_at, withdrawal_reason_code, withdrawal_reason)
  SELECT (SELECT id FROM naming_authority WHERE prefix = CASE WHEN n % 1000 = 0 THEN '2000.01' ELSE '100.102' END), gen_random_uuid(), 'hdl:20.1000/' || n,
         encode(substring(sha256(convert_to('hdl:20.1000/' || n, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid,
         'https://repo.example.org/' || CASE WHEN n % 4 = 0 THEN 'all' ELSE n::text END,
         t, t, s, CASE s WHEN 'reserved' THEN now() + interval '1 day' END,
         CASE s WHEN 'withdrawn' THEN t END, CASE s WHEN 'withdrawn' THEN 'other' END, CASE s WHEN 'withdrawn' THEN 'test' END
  FROM generate_series(1, ${ROWS}) n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS t,
       CASE n % 200 WHEN 0 THEN 'reserved' WHEN 1 THEN 'withdrawn' ELSE 'active' END AS s) x;
  INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id)
  SELECT encode(substring(sha256(convert_to('demo:' || id, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid, naming_authority_id, id FROM identifier WHERE id % 3 = 0;`;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(FILL);
  await client.query('VACUUM ANALYZE');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

interface Query {
  readonly text: string;
  readonly values: unknown[];
}

async function planOf({ text, values }: Query): Promise<{ nodes: Plan[]; text: string }> {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const nodes: Plan[] = [];
  const walk = (plan: Plan): void => {
    nodes.push(plan);
    plan.Plans?.forEach(walk);
  };
  walk(rows[0]['QUERY PLAN'][0].Plan);
  return { nodes, text };
}

/** A name as it is stored by the rows above, whose comparison keys are the texts themselves. */
const named = (text: string) => ({
  canonical: text,
  comparison: text,
  rule: 'exact' as const,
  key: digestOf(text),
  keyFoldsCase: null,
  needsHandle: false,
});

describe('a page of identifiers', () => {
  const filters: [string, NumberedFilter][] = [
    ['no filter', {}],
    ['the metadata ID', { metadata: named('hdl:20.1000/777') }],
    ['an alternate', { alternate: named('demo:999') }],
    ['a naming authority of nearly all', { namingAuthorityId: 1 }],
    ['a naming authority of few', { namingAuthorityId: 2 }],
    ['a naming authority of none', { namingAuthorityId: 3 }],
    ['the naming authorities of a restricted reader', { namingAuthorityIds: [2, 3] }],
    ['the state active', { state: 'active' }],
    ['the state reserved', { state: 'reserved' }],
    ['the state withdrawn', { state: 'withdrawn' }],
    ['no target', { hasTarget: false }],
    ['no metadata ID', { hasMetadata: false }],
    ['a target of one', { target: 'https://repo.example.org/777' }],
    ['a target of a quarter', { target: 'https://repo.example.org/all' }],
    ['a metadata ID by a reader without hidden values', { metadata: named('hdl:20.1000/777'), curatedIds: [] }],
    ['a target by a reader of some hidden values', { target: 'https://repo.example.org/all', curatedIds: [2] }],
    ['a time near the end', { createdFrom: new Date('2026-01-03T07:00:00Z') }],
    ['a time near the beginning', { createdBefore: new Date('2026-01-01T00:30:00Z') }],
    [
      'a window of time',
      { createdFrom: new Date('2026-01-02T00:00:00Z'), createdBefore: new Date('2026-01-02T00:10:00Z') },
    ],
    ['a naming authority and a time', { namingAuthorityId: 2, createdFrom: new Date('2026-01-03T00:00:00Z') }],
    ['a target and a time', { target: 'https://repo.example.org/all', createdFrom: new Date('2026-01-03T00:00:00Z') }],
  ];

  const middle = { createdAt: new Date('2026-01-02T03:00:00Z'), id: 90_000n };
  const pages: [string, PageOrder, typeof middle | undefined][] = [
    ['the first', 'createdAt', undefined],
    ['one from the middle', 'createdAt', middle],
    ['the first of the newest', '-createdAt', undefined],
    ['one from the middle of the newest', '-createdAt', middle],
  ];

  describe.each(pages)('%s', (_, order, after) => {
    it.each(filters)('is found by an index, and little else is looked at: %s', async (_, filter) => {
      const { nodes, text } = await planOf(pageQuery(filter, rangeOf(filter, order, after), 51));
      const large = nodes.filter(
        (node) => node['Relation Name'] === 'identifier' || node['Relation Name'] === 'alternate_identifier',
      );
      expect(large.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      const looked = large.map(
        (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      );
      expect(Math.max(...looked)).toBeLessThan(ROWS / 100);
      expect(text).not.toMatch(/\bOFFSET\b|\bcount\(/i);
    });
  });
});

describe('a look-up of a target that a quarter of all identifiers share', () => {
  it.each([
    ['by a reader of all', { visible: null, curated: null }],
    ['by a restricted reader', { visible: ['100.102'], curated: ['100.102'] }],
    ['by a reader without hidden values', { visible: null, curated: [] }],
  ])('reads little more than its ten candidates: %s', async (_, where) => {
    const target = 'https://repo.example.org/all';
    // The view also includes earlier transactions that are reported late.
    const rowsRead = async () => {
      const { rows } = await client.query(
        "SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_user_tables WHERE relname = 'identifier'",
      );
      return Number(rows[0].read);
    };
    await client.query('BEGIN');
    const before = await rowsRead();
    const [{ matches } = { matches: [] }] = await new IdentifierSearch(client).find([[{ target }]], where);
    const read = (await rowsRead()) - before;
    await client.query('ROLLBACK');
    expect(matches).toHaveLength(10);
    expect(read).toBeLessThan(200);
  });
});
