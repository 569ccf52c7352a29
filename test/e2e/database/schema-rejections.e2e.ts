import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requiredUniqueIndexes } from '../../../dist/database/required-indexes.js';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { runToEnd, startServer } from '../harness/server.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

/** The output of a start on the database, which must end with exit code 1. */
async function rejection(): Promise<string> {
  const { code, stderr } = await runToEnd({ DATABASE_URL: database.url, ACCESS: 'open' });
  expect(code).toBe(1);
  expect(stderr).toContain('Mintmark cannot start');
  expect(stderr).not.toMatch(/^ +at /m);
  return stderr;
}

describe('a start is rejected', () => {
  it('where the schema is newer than the program, and names the migration', async () => {
    await query(
      database.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ('later', 'x', '20990101000000_later', now(), 1)`,
    );
    expect(await rejection()).toMatch(/newer than this version of Mintmark.*20990101000000_later/);
    await query(database.url, "DELETE FROM _prisma_migrations WHERE id = 'later'");
  });

  it('where a unique index is missing or is an ordinary one, and names it', async () => {
    const definition = await query<{ sql: string }>(
      database.url,
      "SELECT pg_get_indexdef('identifier_request_key'::regclass) AS sql",
    );
    await query(
      database.url,
      `DROP INDEX identifier_request_key, identifier_metadata_key;
       CREATE INDEX identifier_metadata_key ON identifier (metadata_key)`,
    );
    expect(await rejection()).toMatch(/unique indexes identifier_metadata_key, identifier_request_key are missing/);
    await query(
      database.url,
      `DROP INDEX identifier_metadata_key; ${definition[0]!.sql};
       CREATE UNIQUE INDEX identifier_metadata_key ON identifier (metadata_key, naming_authority_id) WHERE metadata_key IS NOT NULL`,
    );
    const server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open' });
    expect((await server.stop()).code).toBe(0);
  });

  it('where Citus distributes tables, and names them', async () => {
    // A table of this name stands in for the catalog of Citus.
    await query(database.url, 'CREATE TABLE pg_dist_partition (logicalrelid regclass)');
    const server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open' });
    expect((await server.stop()).code).toBe(0);
    await query(database.url, "INSERT INTO pg_dist_partition VALUES ('identifier'), ('change'), ('pg_class')");
    expect(await rejection()).toContain(
      'Citus distributes the tables change, identifier, on which Mintmark cannot write.',
    );
    await query(database.url, 'DROP TABLE pg_dist_partition');
  });
});

describe('the unique indexes that a start requires', () => {
  it('are all that the migrations create', async () => {
    const rows = await query<{ name: string }>(
      database.url,
      `SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations_pkey' ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(await requiredUniqueIndexes());
  });
});
