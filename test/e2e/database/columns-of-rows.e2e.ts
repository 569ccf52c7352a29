import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { toFedoraPid } from '@mintmark/identifier';
import { Prisma } from '../../../dist/database/generated/client.js';
import { canonicalNameOf } from '../../../dist/registry/canonical-name.js';
import { pageQuery } from '../../../dist/storage/identifiers/page-query.js';
import { rangeOf } from '../../../dist/storage/identifiers/page-range.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('the columns by which rows are read', () => {
  it.each([
    ['naming_authority', Prisma.NamingAuthorityScalarFieldEnum],
    ['identifier', Prisma.IdentifierScalarFieldEnum],
    ['change', Prisma.ChangeScalarFieldEnum],
  ])('are those of the table %s', async (table, fields) => {
    const columns = Object.keys(fields).map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const { rows } = await client.query<{ name: string }>(
      'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1',
      [table],
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(columns.sort());
  });
});

/** All subsets of the entries of an object. */
function subsetsOf(entries: readonly [string, unknown][]): [string, unknown][][] {
  return entries.reduce<[string, unknown][][]>((sets, entry) => [...sets, ...sets.map((set) => [...set, entry])], [[]]);
}

describe('the query of a page', () => {
  const name = canonicalNameOf(toFedoraPid('demo:1'), { foldsCase: false });
  const time = new Date('2026-01-01T00:00:00Z');
  const filters = Object.entries({
    metadata: name,
    alternate: name,
    namingAuthorityId: 1,
    namingAuthorityIds: [1, 2],
    target: 'https://example.org/',
    createdFrom: time,
    createdBefore: time,
  });

  it.each([undefined, 'active', 'reserved', 'withdrawn'] as const)(
    'is valid for every combination of filters, on the first page and on a later one, with the state %s',
    async (state) => {
      const subsets = subsetsOf(filters);
      expect(subsets).toHaveLength(128);
      for (const subset of subsets) {
        for (const after of [undefined, { createdAt: time, id: 7n }]) {
          const filter = { ...Object.fromEntries(subset), state };
          const { text, values } = pageQuery(
            filter,
            rangeOf(filter, after === undefined ? 'createdAt' : '-createdAt', after),
            51,
          );
          const { rows } = await client.query(text, values);
          expect(rows).toEqual([]);
        }
      }
    },
  );
});
