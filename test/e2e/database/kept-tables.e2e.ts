import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, createDatabase, query, startInstalled } from '../harness/database.js';
import { migrate } from '../../../dist/database/migrations.js';
import { Postgres, isInstalled } from '../harness/postgres.js';

/** Tables that may be emptied: no rows of the registry are in them. */
const MAY_BE_EMPTIED = ['_prisma_migrations'];

/** Tables that grow with each mint or change. */
const GROWING = ['alternate_identifier', 'change', 'identifier'];

describe('TRUNCATE', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it('is rejected for every table of the catalogue', async () => {
    const tables = await query<{ name: string }>(
      database.url,
      `SELECT relname::text AS name FROM pg_class
       WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> ALL ($1) ORDER BY 1`,
      [MAY_BE_EMPTIED],
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...GROWING, 'cursor_secret', 'handle_user']),
    );
    for (const { name } of tables) {
      await expect(query(database.url, `TRUNCATE ${name} CASCADE`)).rejects.toMatchObject({
        code: '23001',
        message: `rows of ${name} are kept as they are: TRUNCATE is rejected`,
      });
    }
  });
});

async function startEmbedded(): Promise<Postgres> {
  const server = await Postgres.start();
  await migrate(server.url);
  return server;
}

describe.each([
  [`PostgreSQL 15 (needs Debian's postgresql-15)`, isInstalled(15), () => startInstalled(15)],
  ['the PostgreSQL of the tests', true, startEmbedded],
] as const)('autovacuum of %s', (_, isThere, start) => {
  (isThere ? it : it.skip)('freezes the pages of tables that are never changed', async () => {
    const server = await start();
    try {
      const options = await query(
        server.url,
        `SELECT relname::text AS name, (SELECT json_object_agg(option_name, option_value) FROM pg_options_to_table(reloptions)) AS set
         FROM pg_class WHERE relname = ANY ($1) ORDER BY 1`,
        [GROWING],
      );
      const set = {
        autovacuum_freeze_min_age: '0',
        autovacuum_vacuum_scale_factor: '0.01',
        autovacuum_vacuum_insert_scale_factor: '0.01',
      };
      expect(options).toMatchObject(GROWING.map((name) => ({ name, set })));

      for (const sql of [
        // A vacuum that runs beside an insert into another table cannot freeze, and is not repeated.
        'ALTER SYSTEM SET autovacuum = off',
        "ALTER SYSTEM SET autovacuum_naptime = '1s'",
        'SELECT pg_reload_conf()',
        'CREATE EXTENSION pg_visibility',
        `INSERT INTO naming_authority (prefix) VALUES ('100.102')`,
        `INSERT INTO identifier (naming_authority_id, guid) SELECT 1, gen_random_uuid() FROM generate_series(1, 6000)`,
        `INSERT INTO alternate_identifier (identifier_id, key, naming_authority_id) SELECT id, gen_random_uuid(), 1 FROM identifier`,
        `INSERT INTO change (position, identifier_id, naming_authority_id, version, kind, client, patch)
         SELECT 1, id, 1, 1, 'minted', 'anonymous', '[]' FROM identifier`,
      ]) {
        await query(server.url, sql);
      }
      const unfrozen = () =>
        query(
          server.url,
          `SELECT name FROM unnest($1::text[]) AS t(name), pg_visibility_map_summary(name::regclass)
           WHERE all_frozen < pg_relation_size(name::regclass) / 8192`,
          [GROWING],
        );
      expect(await unfrozen()).toHaveLength(3);
      await query(server.url, 'ALTER SYSTEM SET autovacuum = on');
      await query(server.url, 'SELECT pg_reload_conf()');
      for (const end = Date.now() + 20_000; Date.now() < end && (await unfrozen()).length > 0;)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await unfrozen()).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
