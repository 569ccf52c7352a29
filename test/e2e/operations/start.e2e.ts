import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../dist/database/migrations.js';
import { Client } from '../harness/client.js';
import { createDatabase, query } from '../harness/database.js';
import { postgresRuns } from '../harness/postgres-process.js';
import { Postgres } from '../harness/postgres.js';
import { runToEnd, startServer } from '../harness/server.js';

let parent: string;
/** Asks every session for its password. */
let postgres: Postgres;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mintmark-start-'));
  postgres = await Postgres.start({ password: 'superuser' });
  await query(postgres.url, 'CREATE DATABASE migrated');
  const migrated = new URL(postgres.url);
  migrated.pathname = '/migrated';
  await migrate(migrated.href);
});
afterAll(async () => {
  await postgres.stop();
  await rm(parent, { recursive: true, force: true });
});

describe('npm start', () => {
  /** Runs the script "start" of package.json until the service is ready. */
  const npmStart = async (variables: Record<string, string>) => {
    const { PATH = '', HOME = '' } = process.env;
    const cwd = fileURLToPath(new URL('../../../', import.meta.url));
    const npm = spawn('npm', ['start'], { cwd, env: { PATH, HOME, PORT: '0', ...variables } });
    const ended = new Promise<void>((resolve) => npm.stdout.once('close', resolve));
    let stdout = '';
    let stderr = '';
    npm.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const url = await new Promise<string>((resolve, reject) => {
      npm.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
        const found = /Service +(http\S+)/.exec(stderr)?.[1];
        if (found !== undefined) resolve(found);
      });
      npm.once('close', () => {
        reject(new Error(stderr));
      });
    });
    return { npm, url, ended, stdout: () => stdout };
  };

  it.concurrent('leaves neither the service nor its PostgreSQL behind when npm is killed by SIGKILL', async () => {
    const dataDir = join(parent, 'npm');
    const { npm, url, ended, stdout } = await npmStart({ DATA_DIR: dataDir });
    expect((await new Client(url).mint()).status).toBe(201);
    npm.kill('SIGKILL');
    // The service shares the standard output, which closes when the last process with it ends.
    await ended;
    expect(stdout()).toContain('"stopped"');
    expect(postgresRuns(dataDir)).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });

  it.concurrent.each(['SIGTERM', 'SIGHUP'] as const)('stops the service in order when npm gets %s', async (signal) => {
    const database = await createDatabase();
    const { npm, ended, stdout } = await npmStart({ DATABASE_URL: database.url, ACCESS: 'open' });
    npm.kill(signal);
    await ended;
    expect(stdout()).toContain('"stopped"');
    await database.drop();
  });

  it.concurrent('alone ties the service to its parent: started in another way, it goes on without it', async () => {
    const database = await createDatabase();
    const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
    const { PATH = '' } = process.env;
    const env = { PATH, PORT: '0', DATABASE_URL: database.url, ACCESS: 'open' };
    // The shell continues until its standard input closes.
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${main}" & echo $!; read line`], { env });
    let output = '';
    shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const url = await new Promise<string>((resolve) => {
      let words = '';
      shell.stderr.on('data', (chunk: Buffer) => {
        words += chunk.toString();
        const found = /Service +(http\S+)/.exec(words)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    const ended = new Promise((resolve) => shell.stdout.once('close', resolve));
    const exited = new Promise((resolve) => shell.once('exit', resolve));
    shell.stdin.end();
    await exited;
    // Twice the interval at which the service checks its parent.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    process.kill(Number.parseInt(output, 10), 'SIGTERM');
    await ended;
    await database.drop();
  });
});

describe('a start that is stopped while it waits', () => {
  /** Sends SIGTERM when `isWaiting`, and expects a prompt end. */
  const stopped = async (variables: Record<string, string>, isWaiting: (log: string) => Promise<boolean>) => {
    let sentAt = NaN;
    const { code, stdout } = await runToEnd(variables, (child) => {
      let log = '';
      child.stdout?.on('data', (lines: Buffer) => (log += lines.toString()));
      void (async () => {
        while (!(await isWaiting(log))) await pause(25);
        sentAt = performance.now();
        child.kill('SIGTERM');
      })();
    });
    expect(performance.now() - sentAt).toBeLessThan(5000);
    expect(code).toBe(0);
    expect(stdout).toMatch(/"reason":"SIGTERM","msg":"stopping during the start"/);
    expect(stdout).toContain('"stopped"');
  };
  const TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace";

  it.concurrent('behind the migration of another process, ends at once and changes no schema afterwards', async () => {
    const database = await createDatabase('template0');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('SELECT pg_advisory_lock(5073255)');
    const waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 5073255";
    await stopped({ DATABASE_URL: database.url, ACCESS: 'open' }, async () => {
      return (await query(database.url, waits)).length > 0;
    });
    await other.end();
    await pause(500);
    expect(await query(database.url, TABLES)).toEqual([]);
    await database.drop();
  });

  it.concurrent('inside a migration, rolls it back', async () => {
    const database = await createDatabase('template0');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('BEGIN; CREATE TABLE cursor_secret (id int)');
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await stopped({ DATABASE_URL: database.url, ACCESS: 'open' }, async () => {
      return (await query(database.url, waits)).length > 0;
    });
    await other.query('ROLLBACK');
    await other.end();
    await pause(500);
    expect((await query<{ relname: string }>(database.url, TABLES)).map(({ relname }) => relname).sort()).toEqual([
      '_prisma_migrations',
      '_prisma_migrations_pkey',
    ]);
    await database.drop();
  });

  it.concurrent('for a server that accepts writes, ends at once', async () => {
    const database = await createDatabase('template0');
    const name = new URL(database.url).pathname.slice(1);
    await query(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await stopped({ DATABASE_URL: database.url, ACCESS: 'open' }, (log) =>
      Promise.resolve(log.includes('the start waits')),
    );
    await database.drop();
  });

  it.concurrent('for the embedded PostgreSQL, stops it', async () => {
    const dataDir = join(parent, 'interrupted');
    await stopped({ DATA_DIR: dataDir }, () => Promise.resolve(postgresRuns(dataDir)));
    expect(postgresRuns(dataDir)).toBe(false);
  });
});

describe('a port that is taken', () => {
  it.concurrent.each(['PORT', 'METRICS_PORT'])('is found before the database is made: %s', async (variable) => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const { port } = occupant.address() as { port: number };
    const dataDir = join(parent, variable);
    const { code, stderr } = await runToEnd({ DATA_DIR: dataDir, [variable]: String(port) });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Port ${port} on 127.0.0.1 is already in use. Stop the process that uses it, or set ${variable}`,
    );
    expect(existsSync(dataDir)).toBe(false);
    occupant.close();
  });
});

describe('RESOLVER_FIRST_SEGMENT', () => {
  it.concurrent.each([
    ['20.500', '', 'the naming authority "20.500"'],
    ['20%2E500', '20.500', 'the naming authority "20.500"'],
    ['API', '', 'a first path segment of this service'],
  ])('%s with the new naming authorities "%s" is %s', async (segment, list, what) => {
    const variables = { DATABASE_URL: (await createDatabase()).url, ACCESS: 'open' };
    if (list === '')
      expect((await (await startServer({ ...variables, NAMING_AUTHORITIES: '20.500' })).stop()).code).toBe(0);
    const { code, stderr } = await runToEnd({
      ...{ ...variables, NAMING_AUTHORITIES: list },
      ...{ RESOLVER_AUTHORITY: 'id.example.org', RESOLVER_FIRST_SEGMENT: segment },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`RESOLVER_FIRST_SEGMENT is ${what}, `)]);
  });
});

describe('DATA_DIR', () => {
  it.concurrent('may have quotes, "$", a backtick and a backslash, which no shell reads', async () => {
    const folder = join(parent, 'shell');
    const dataDir = join(folder, `it's "x" $HOME $(touch made) \`touch made\` \\ ;touch made`);
    for (const start of [1, 2]) {
      const server = await startServer({ DATA_DIR: dataDir });
      expect([start, (await new Client(server.url).mint()).status]).toEqual([start, 201]);
      expect(postgresRuns(dataDir)).toBe(true);
      expect((await server.stop()).code).toBe(0);
      expect(postgresRuns(dataDir)).toBe(false);
    }
    expect(await readdir(folder)).toHaveLength(1);
    expect(await readdir(join(dataDir, 'postgres'))).not.toContain('made');
  });
});

describe('a schema that may not be written', () => {
  let roles = 0;

  /** A role that can connect to a database of its own, and the environment of a service with it. */
  const withRole = async (
    template: 'template0' | 'migrated',
    work: (role: string, variables: Record<string, string>, databaseUrl: string) => Promise<void>,
  ) => {
    const role = `writer_${++roles}`;
    await query(postgres.url, `CREATE DATABASE of_${role} TEMPLATE ${template}`);
    await query(postgres.url, `CREATE ROLE ${role} LOGIN PASSWORD 'secret-of-the-role'`);
    const database = new URL(postgres.url);
    database.pathname = `/of_${role}`;
    const url = new URL(database);
    url.username = role;
    url.password = 'secret-of-the-role';
    await work(role, { DATABASE_URL: url.href, ACCESS: 'open' }, database.href);
  };
  const rejected = async (variables: Record<string, string>, ...words: string[]) => {
    const { code, stderr, stdout } = await runToEnd(variables);
    expect(code).toBe(1);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr + stdout).not.toMatch(/^ +at /m);
    expect(stderr + stdout).not.toContain('secret-of-the-role');
  };

  it.concurrent('names the role that must own it, when tables cannot be created', async () => {
    await withRole('template0', async (role, variables, databaseUrl) => {
      const name = new URL(databaseUrl).pathname.slice(1);
      await rejected(variables, `"${role}"`, 'schema "public"', `ALTER DATABASE "${name}" OWNER TO "${role}"`);
      await query(databaseUrl, `ALTER DATABASE "${name}" OWNER TO "${role}"`);
      const server = await startServer(variables);
      await server.stop();
    });
  });

  it.concurrent(
    'names the search_path, when it names no schema that the role can use, and starts in a schema of the role',
    async () => {
      await withRole('template0', async (role, variables, databaseUrl) => {
        const name = new URL(databaseUrl).pathname.slice(1);
        await query(databaseUrl, `ALTER ROLE "${role}" IN DATABASE "${name}" SET search_path = pids`);
        await rejected(variables, `"${role}"`, 'is pids', 'SET search_path');
        await query(databaseUrl, 'CREATE SCHEMA pids');
        await query(databaseUrl, `GRANT USAGE ON SCHEMA pids TO "${role}"`);
        await rejected(variables, `GRANT CREATE ON SCHEMA "pids" TO "${role}"`, 'ALTER SCHEMA "pids" OWNER TO');
        await query(databaseUrl, `GRANT CREATE ON SCHEMA pids TO "${role}"`);
        await (await startServer(variables)).stop();
      });
    },
  );

  it.concurrent('names a wrong password, and a database that does not exist', async () => {
    await withRole('template0', async (role, variables) => {
      const url = new URL(variables.DATABASE_URL ?? '');
      url.password = 'another';
      await rejected(
        { ...variables, DATABASE_URL: url.href },
        'rejected the login',
        'Correct the user and the password',
      );
      url.password = 'secret-of-the-role';
      url.pathname = '/nowhere';
      await rejected({ ...variables, DATABASE_URL: url.href }, `CREATE DATABASE "nowhere" OWNER "${role}"`);
    });
  });

  it.concurrent('says that the server does not offer TLS, when sslmode requires it', async () => {
    await withRole('template0', async (_role, variables) => {
      const url = `${variables.DATABASE_URL}?sslmode=require`;
      await rejected({ ...variables, DATABASE_URL: url }, 'does not offer TLS', 'sslmode', 'ssl = on');
    });
  });

  it.concurrent('names the role that owns the tables, when another one is used', async () => {
    await withRole('migrated', async (role, variables) => {
      await rejected(variables, `"${role}"`, '"postgres"', 'owner of the tables');
    });
  });

  it.concurrent('names the owner of the tables, when a migration has to change them', async () => {
    await withRole('migrated', async (role, variables, databaseUrl) => {
      const name = new URL(databaseUrl).pathname.slice(1);
      await query(databaseUrl, `ALTER DATABASE "${name}" OWNER TO "${role}"`);
      await query(databaseUrl, `GRANT ALL ON ALL TABLES IN SCHEMA public TO "${role}"`);
      await query(
        databaseUrl,
        `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`,
      );
      await rejected(variables, `"${role}"`, '"postgres"', 'owner of the tables');
    });
  });
});
