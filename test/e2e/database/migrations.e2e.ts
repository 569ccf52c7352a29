import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../dist/database/migrations.js';
import { shippedMigrations } from '../../../dist/database/shipped-migrations.js';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { runToEnd, startServer } from '../harness/server.js';

const all = await shippedMigrations();
const names = all.map(({ name }) => name);
const latest = names.at(-1)!;

let database: TestDatabase;
let variables: Record<string, string>;

/** An empty database for each test. */
beforeEach(async () => {
  database = await createDatabase('template0');
  variables = { DATABASE_URL: database.url, ACCESS: 'open' };
});
afterEach(() => database.drop());

/** Runs a command of `harness/prisma-engine.js`. */
const prisma = (...command: string[]) => {
  const script = fileURLToPath(new URL('../harness/prisma-engine.js', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [script, database.url, ...command], { encoding: 'utf8' }));
};
/** What `prisma migrate status` reads: no failed, edited, missing or additional migration. */
const upToDate = { hasMigrationsTable: true, failedMigrationNames: [], editedMigrationNames: [], history: null };

const rowsOf = () => query(database.url, 'SELECT * FROM _prisma_migrations ORDER BY started_at');
const recorded = async () => (await rowsOf()).map(({ migration_name }) => migration_name);

const columnsOf = () =>
  query(
    database.url,
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  );

/** The standard error of a start that must fail. */
const failure = async (): Promise<string> => {
  const { code, stderr } = await runToEnd(variables);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/^ +at /m);
  return stderr;
};
const start = async () => (await startServer(variables)).stop();

async function waitUntil(happened: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await happened()) return;
    await pause(25);
  }
  throw new Error('it did not happen within ten seconds');
}

/** Another session creates a table of the migration and has not committed it: the migration waits for the end. */
const CREATED_ELSEWHERE = 'CREATE TABLE naming_authority (mine int)';

/** The table of migrations without a row, and nothing else. */
async function withoutMigrations(): Promise<void> {
  await migrate(database.url);
  await query(
    database.url,
    `CREATE SCHEMA saved; ALTER TABLE _prisma_migrations SET SCHEMA saved; DROP SCHEMA public CASCADE; CREATE SCHEMA public;
     ALTER TABLE saved._prisma_migrations SET SCHEMA public; DROP SCHEMA saved; DELETE FROM _prisma_migrations`,
  );
}

/** Runs work while another session has run a statement in an open transaction. */
async function whileLocked<T>(statement: string, work: (release: () => Promise<void>) => Promise<T>): Promise<T> {
  const session = new pg.Client({ connectionString: database.url });
  await session.connect();
  try {
    await session.query('BEGIN');
    await session.query(statement);
    return await work(async () => {
      await session.query('ROLLBACK');
    });
  } finally {
    await session.end();
  }
}
const waiting = () =>
  query<{ pid: number; query: string }>(
    database.url,
    "SELECT pid, query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );

describe('the migration of an empty database', () => {
  it('writes the table and the rows that Prisma writes', async () => {
    const form = async () => ({
      columns: await query(
        database.url,
        `SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull, pg_get_expr(adbin, adrelid) AS preset
         FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
         WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
      ),
      indexes: await query(
        database.url,
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '_prisma_migrations'::regclass",
      ),
      rows: (await rowsOf()).map(({ id, started_at, finished_at, ...others }) => {
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(finished_at.getTime()).toBeGreaterThanOrEqual(started_at.getTime());
        expect(Math.abs(Date.now() - started_at.getTime())).toBeLessThan(60_000);
        return others;
      }),
    });
    prisma('apply', '99');
    const ofPrisma = await form();
    await database.drop();
    database = await createDatabase('template0');
    expect(await migrate(database.url)).toEqual(names);
    const ofService = await form();
    expect(ofService.rows).toHaveLength(names.length);
    expect(ofService).toEqual(ofPrisma);
    expect(new Set((await rowsOf()).map(({ id }) => id)).size).toBe(names.length);
  });

  it('leaves nothing to do for Prisma or for another start', async () => {
    await migrate(database.url);
    expect(prisma('diagnose')).toEqual(upToDate);
    expect(prisma('apply', '99')).toEqual({ appliedMigrationNames: [] });
    expect(await migrate(database.url)).toEqual([]);
    expect(await recorded()).toEqual(names);
  });

  it('is rejected in a schema with tables of another program, and names one', async () => {
    await query(database.url, 'CREATE TABLE orders (id int)');
    expect(await failure()).toMatch(/could not be migrated: the schema "public" has the table "orders"/);
    expect(await columnsOf()).toEqual([{ table_name: 'orders', column_name: 'id' }]);
  });
});

describe('a database of a development version', () => {
  it.each([
    '20261120000000_identifiers',
    '20261122120000_schema',
    '20261125120000_schema',
    '20261125180000_schema',
    '20261125230000_schema',
    '20261126000000_schema',
    '20261128100000_schema',
    '20261128130000_schema',
  ])('with the migration %s is rejected in words', async (name) => {
    await migrate(database.url);
    await query(
      database.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('old', '0', '${name}', now())`,
    );
    expect(await failure()).toMatch(/layout of a development version .* Use an empty database\. .* export them/);
  });
});

describe('a database that Prisma migrated', () => {
  it('gets a migration that failed, and the failed run is marked as rolled back', async () => {
    await withoutMigrations();
    await query(
      database.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('failed', '0', $1, 'some error')`,
      [latest],
    );
    expect(prisma('diagnose').failedMigrationNames).toEqual([latest]);
    await start();
    const runs = (await rowsOf()).filter(({ migration_name }) => migration_name === latest);
    expect(runs.map(({ rolled_back_at, finished_at }) => [rolled_back_at !== null, finished_at !== null])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(prisma('diagnose')).toEqual(upToDate);
  });

  it('starts without a change when a migration was recorded with another checksum', async () => {
    prisma('apply', '99');
    await query(database.url, 'UPDATE _prisma_migrations SET checksum = $1 WHERE migration_name = $2', ['0', latest]);
    const before = await rowsOf();
    await start();
    expect(await rowsOf()).toEqual(before);
  });
});

describe('a migration that fails', () => {
  it('is named and has no effect, and the next start applies it', async () => {
    await withoutMigrations();
    // The migration creates this table after other changes.
    await query(database.url, 'CREATE TABLE change (mine int)');
    const schema = await columnsOf();
    for (const attempt of [1, 2]) {
      const stderr = await failure();
      expect([attempt, stderr]).toEqual([attempt, expect.stringContaining(`the migration ${latest} failed: `)]);
      expect(stderr).toMatch(/The database schema could not be migrated: .*"change" already exists.*has no effect/s);
      expect(await recorded()).toEqual([]);
      expect(await columnsOf()).toEqual(schema);
    }
    await query(database.url, 'DROP TABLE change');
    await start();
    expect(await recorded()).toEqual(names);
    expect(prisma('diagnose')).toEqual(upToDate);
  });

  it('because its connection is lost has no effect, and is reported without a stack', async () => {
    await whileLocked(CREATED_ELSEWHERE, async () => {
      const failed = failure();
      await waitUntil(async () => (await waiting()).length > 0);
      await query(database.url, 'SELECT pg_terminate_backend($1)', [(await waiting())[0]!.pid]);
      expect(await failed).toContain(`the migration ${latest} failed: terminating connection`);
    });
    expect(await recorded()).toEqual([]);
    expect(await migrate(database.url)).toEqual(names);
  });
});

describe('two starts at once', () => {
  it('migrate once: the second waits for the first and then finds nothing to apply', async () => {
    await whileLocked(CREATED_ELSEWHERE, async (release) => {
      const first = migrate(database.url);
      await waitUntil(async () => (await waiting()).length === 1);
      const second = migrate(database.url);
      await waitUntil(async () => (await waiting()).some(({ query: sql }) => sql.includes('pg_advisory_lock')));
      await release();
      expect(await first).toEqual(names);
      expect(await second).toEqual([]);
    });
    expect(await recorded()).toEqual(names);
  });

  it('of eight processes on an empty database all succeed', async () => {
    const servers = await Promise.all(
      Array.from({ length: 8 }, () => startServer({ ...variables, DATABASE_POOL_SIZE: '1' })),
    );
    expect(await recorded()).toEqual(names);
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('one of which is `prisma migrate deploy`: the service waits for its lock', async () => {
    await whileLocked('SELECT pg_advisory_xact_lock(72707369)', async (release) => {
      const migrating = migrate(database.url);
      await waitUntil(async () => (await waiting()).length === 1);
      expect(await columnsOf()).toEqual([]);
      await release();
      expect(await migrating).toEqual(names);
    });
  });
});
