import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { PUBLISHED } from '../harness/programs.js';
import { runToEnd, startServer } from '../harness/server.js';

let empty: TestDatabase;

beforeAll(async () => {
  empty = await createDatabase('template0');
});
afterAll(() => empty.drop());

/** Runs `mintmark migrate` with no other setting than the database. */
function migrate(url: string, ...options: string[]) {
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PUBLISHED, 'migrate', ...options], {
    ...{ cwd: tmpdir(), env, encoding: 'utf8' },
  });
  return { status, stdout, stderr };
}

const tables = async (url: string) => {
  const rows = await query<{ name: string }>(
    url,
    "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
};

describe('mintmark migrate', () => {
  it('prints with --plan the SQL that is missing and changes nothing, then applies it, and then has nothing to do', async () => {
    const plan = migrate(empty.url, '--plan');
    expect(plan).toMatchObject({ status: 0, stderr: '' });
    expect(plan.stdout).toMatch(/^-- "mintmark migrate" applies each .*\n\n-- 20\d{12}_schema\n/);
    expect(plan.stdout).toContain('CREATE TABLE');
    expect(await tables(empty.url)).toEqual([]);

    const start = { DATABASE_URL: empty.url, ACCESS: 'open', MIGRATE: 'off' };
    expect((await runToEnd(start)).stderr).toMatch(/As the owner of the tables, run "mintmark migrate"/);
    expect(migrate(empty.url)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^applied 20\d{12}_schema\n$/),
    });
    expect(await tables(empty.url)).toEqual(expect.arrayContaining(['_prisma_migrations', 'change', 'identifier']));
    const server = await startServer(start);
    expect((await server.stop()).code).toBe(0);

    const nothing = 'The database has every migration of Mintmark 0.1.0-beta.1.\n';
    expect(migrate(empty.url, '--plan')).toEqual({ status: 0, stdout: `-- ${nothing}`, stderr: '' });
    expect(migrate(empty.url)).toEqual({ status: 0, stdout: nothing, stderr: '' });
  });

  it.each([[], ['--plan']])(
    '%s leaves the tables of another program as they are, and names one',
    async (...options) => {
      const database = await createDatabase('template0');
      await query(database.url, 'CREATE TABLE invoice ()');
      const { status, stdout, stderr } = migrate(database.url, ...options);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('the schema "public" has the table "invoice"');
      expect(stderr).not.toMatch(/^ +at /m);
      expect(await tables(database.url)).toEqual(['invoice']);
      await database.drop();
    },
  );

  it('rejects a database of a later version, in a plan too', async () => {
    const database = await createDatabase();
    await query(
      database.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ('later', 'x', '20990101000000_later', now(), 1)`,
    );
    for (const options of [[], ['--plan']]) {
      expect(migrate(database.url, ...options).stderr).toMatch(
        /newer than this version of Mintmark.*20990101000000_later/,
      );
    }
    await database.drop();
  });

  it('names DATABASE_URL where it is not set, or is the URL of something else', () => {
    expect(migrate('')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^DATABASE_URL is not set: .*\n$/) });
    expect(migrate('mysql://localhost/x').stderr).toContain('only PostgreSQL is supported');
  });
});
