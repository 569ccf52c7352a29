import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { problemsOf } from '../harness/doctor.js';
import { postgresPids, postgresRuns } from '../harness/postgres-process.js';
import { type TestServer, runToEnd, startServer } from '../harness/server.js';

const run = promisify(execFile);

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const authorization = `Bearer ${ADMIN_KEY}`;

/**
 * mkdtemp creates a folder that only its owner can enter; as root, PostgreSQL's account must be able to traverse it.
 */
let parent: string;
let used: ReturnType<typeof useOnce> | undefined;
let running: Promise<TestServer> | undefined;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mintmark-data-'));
});
afterAll(async () => {
  await (await running)?.stop();
  await rm(parent, { recursive: true, force: true });
});

/** A data folder that a service has made, has minted in with the command that it printed, and has left. */
const usedOnce = () => (used ??= useOnce(join(parent, 'used')));

async function useOnce(folder: string) {
  const server = await startServer({ DATA_DIR: folder });
  const words = server.stderr();
  const [curl = ''] = /curl -X POST [^\n]*\\\n[^\n]*/.exec(words) ?? [];
  const minted = JSON.parse((await run('sh', ['-c', `${curl} -s`])).stdout);
  return { folder, url: server.url, words, minted, end: await server.stop('SIGINT'), runs: postgresRuns(folder) };
}

/** A copy of this folder. */
async function copyTo(name: string, option = '-a'): Promise<string> {
  const copy = join(parent, name);
  await run('cp', [option, (await usedOnce()).folder, copy]);
  return copy;
}

/** The URL of the database that runs in a data folder. */
async function urlOf(dataDir: string): Promise<string> {
  const [, , , port] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim();
  return `postgresql://mintmark:${password}@127.0.0.1:${port}/mintmark`;
}

/** A service on a copy, with secrets and with variables that it does not know. */
const runningOnCopy = () =>
  (running ??= copyTo('running').then((folder) =>
    startServer({
      ...{ DATA_DIR: folder, ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, OTHER_SECRET: 'hush' },
      ...{ DATABSE_URL: 'postgresql://x:hush@127.0.0.1/x', PORTS: '1' },
    }),
  ));

describe('the embedded database', () => {
  it.concurrent('starts with an empty folder, prints its addresses, and mints with the command it prints', async () => {
    const { folder, url, words, minted, end, runs } = await usedOnce();
    expect(words).toContain(`${url}/docs`);
    expect(words).toContain(folder);
    expect(minted).toMatchObject({ namingAuthority: '100.102', state: 'active' });
    expect([end, runs]).toEqual([{ code: 0, signal: null }, false]);
  });

  it.concurrent('has everything still there after a stop and a start', async () => {
    const { identifier } = (await usedOnce()).minted;
    const client = new Client((await runningOnCopy()).url);
    expect((await client.get(`/identifiers/${identifier}`)).status).toBe(200);
  });

  it.concurrent('passes no variable of the service to PostgreSQL', async () => {
    await runningOnCopy();
    const url = await urlOf(join(parent, 'running'));
    // A program that a session starts has the environment of the session's process.
    await query(url, "CREATE TABLE env (line text); COPY env FROM PROGRAM 'env'");
    const rows = await query<{ line: string }>(url, 'SELECT line FROM env');
    const names = rows.map(({ line }) => line.split('=')[0]);
    // pg_ctl passes it to the server, so this is the environment under test.
    expect(names).toContain('PG_GRANDPARENT_PID');
    // Node.js itself passes NODE_V8_COVERAGE to each child process.
    const foreign = /^(PATH|PWD|OLDPWD|SHLVL|_|LC_.*|NODE_V8_COVERAGE)$/;
    const own = Object.keys(process.env).filter((name) => !foreign.test(name));
    expect(names.filter((name) => [...own, 'ADMIN_API_KEY', 'OTHER_SECRET', 'DATA_DIR'].includes(name!))).toEqual([]);
    expect(JSON.stringify(rows)).not.toContain(ADMIN_KEY);
  });

  it.concurrent.each([
    { killed: 'the service', database: false },
    { killed: 'PostgreSQL and then of the service', database: true },
  ])(
    'loses no acknowledged identifier to kill -9 of $killed under load, and recovers by itself',
    async ({ database }) => {
      const dataDir = await copyTo(`killed-${database}`);
      const first = await startServer({ DATA_DIR: dataDir });
      const client = new Client(first.url);
      const acknowledged: string[] = [];
      const minters = Array.from({ length: 16 }, async () => {
        for (;;) {
          const { status, body } = await client.mint({ mintMetadataId: true });
          if (status === 201) acknowledged.push(body.identifier, body.metadataRecord.identifier);
        }
      });
      while (acknowledged.length < 200) await new Promise((resolve) => setTimeout(resolve, 10));
      if (database) for (const pid of postgresPids(dataDir)) process.kill(pid, 'SIGKILL');
      await first.stop('SIGKILL');
      await Promise.allSettled(minters);
      expect(postgresRuns(dataDir)).toBe(!database);
      const second = await startServer({ DATA_DIR: dataDir });
      const again = new Client(second.url);
      for (let from = 0; from < acknowledged.length; from += 1000) {
        const { body } = await again.post('/identifiers/lookup', { items: acknowledged.slice(from, from + 1000) });
        const missing = body.items.filter(({ outcome }: { outcome: string }) => outcome !== 'found');
        expect(missing).toEqual([]);
      }
      expect((await second.stop()).code).toBe(0);
    },
  );

  it.concurrent('a signal during the start leaves no database behind', async () => {
    const folder = join(parent, 'interrupted');
    const ended = runToEnd({ DATA_DIR: folder }, (child) => {
      const watch = setInterval(() => {
        if (!postgresRuns(folder)) return;
        clearInterval(watch);
        child.kill('SIGTERM');
      }, 20);
    });
    expect((await ended).code).toBe(0);
    expect(postgresRuns(folder)).toBe(false);
  });
});

describe('a start that cannot be', () => {
  const rejected = async (variables: Record<string, string>, ...words: string[]) => {
    const { code, stderr, stdout } = await runToEnd(variables);
    expect(code).toBe(1);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr.match(/Mintmark cannot start/g)).toHaveLength(1);
    expect(stderr + stdout).not.toMatch(/^ +at /m);
  };

  it.concurrent('names a port that is in use, and stops the database again', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const { port } = occupant.address() as { port: number };
    const { folder } = await usedOnce();
    await rejected({ DATA_DIR: folder, PORT: String(port) }, `Port ${port}`, 'PORT');
    occupant.close();
    expect(postgresRuns(folder)).toBe(false);
  });

  it.concurrent('names a data folder that is in use, whose service continues', async () => {
    const { url } = await runningOnCopy();
    const folder = join(parent, 'running');
    await rejected({ DATA_DIR: folder }, folder, 'in use by another Mintmark');
    expect((await new Client(url).mint({}, { authorization })).status).toBe(201);
  });

  it.concurrent('says of a migration that is missing that a start applies it, as mintmark doctor does', async () => {
    const folder = await copyTo('unmigrated');
    const server = await startServer({ DATA_DIR: folder, MIGRATE: 'off' });
    await query(await urlOf(folder), 'UPDATE _prisma_migrations SET finished_at = NULL');
    const { found } = await problemsOf({ folder: parent, port: 1 }, { DATA_DIR: folder, MIGRATE: 'off' });
    await server.stop();
    expect(found[0]!.detail).toMatch(/_schema\. A start of the service with MIGRATE=on, the default, applies them\.$/);
    await rejected(
      { DATA_DIR: folder, MIGRATE: 'off' },
      'and MIGRATE is "off". Start the service once with MIGRATE=on',
    );
  });

  it.concurrent('names a data folder that cannot be one', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await rejected({ DATA_DIR: file }, file, 'DATA_DIR', 'is a file');
    await rejected({ DATA_DIR: join(file, 'below') }, file, 'DATA_DIR', 'is a file');
  });

  it.concurrent('says of a data folder that lacks files, as a copy of a running one can, what to restore', async () => {
    const copy = await copyTo('copy');
    await rm(join(copy, 'postgres', 'global', 'pg_control'));
    await rejected({ DATA_DIR: copy }, copy, 'made while the service was stopped');
  });

  const asRoot = process.getuid?.() === 0 ? it.concurrent : it.skip;
  asRoot('says of a copy whose files belong to another account how to copy them (needs root)', async () => {
    const copy = await copyTo('copy-of-root', '-r');
    await rejected({ DATA_DIR: copy }, copy, 'cp -a');
  });

  it.concurrent('says of an address that is not one of this machine that HOST is to be set', async () => {
    const keys = { ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY };
    await rejected({ DATA_DIR: (await usedOnce()).folder, HOST: '192.0.2.1', ...keys }, 'Set HOST');
  });

  it.concurrent('names a database that its password does not open', async () => {
    const copy = await copyTo('other-password');
    await writeFile(join(copy, 'postgres.password'), 'another');
    await rejected({ DATA_DIR: copy }, 'cannot be opened', 'password');
    expect(postgresRuns(copy)).toBe(false);
  });

  it.concurrent('of two concurrent first starts permits one and rejects the other', async () => {
    const folder = join(parent, 'contested');
    const both = await Promise.allSettled([startServer({ DATA_DIR: folder }), startServer({ DATA_DIR: folder })]);
    const [up, ...others] = both.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(others).toEqual([]);
    expect((await new Client(up!.url).mint()).status).toBe(201);
    await up!.stop();
  });

  it.concurrent('names a data folder of another version of PostgreSQL, and does not change it', async () => {
    const old = join(parent, 'old');
    await mkdir(join(old, 'postgres'), { recursive: true });
    await writeFile(join(old, 'postgres', 'PG_VERSION'), '12\n');
    await rejected({ DATA_DIR: old }, 'PostgreSQL 12', 'PostgreSQL 18');
  });

  it.concurrent('names a database that cannot be reached, without its password', async () => {
    const url = 'postgresql://mintmark:very-secret@127.0.0.1:1/mintmark';
    await rejected({ DATABASE_URL: url, ACCESS: 'open' }, 'cannot be reached', 'ECONNREFUSED');
    expect((await runToEnd({ DATABASE_URL: url, ACCESS: 'open' })).stderr).not.toContain('very-secret');
  });

  it.concurrent('names a misspelled variable, which it does not read, and no other variable', async () => {
    const server = await runningOnCopy();
    const warnings = server
      .stdout()
      .split('\n')
      .filter((line) => line.includes('is unknown; did you mean'))
      .map((line) => JSON.parse(line) as object);
    expect(warnings).toEqual([
      expect.objectContaining({
        level: 40,
        name: 'DATABSE_URL',
        likely: 'DATABASE_URL',
        msg: expect.stringContaining('DATABASE_URL'),
      }),
    ]);
    expect(server.stdout()).not.toContain('hush');
  });

  it.concurrent('names every wrong variable together', async () => {
    await rejected(
      {
        PORT: 'http',
        LOG_LEVEL: 'loud',
        DATABASE_URL: 'mysql://x',
        NAMING_AUTHORITIES: '100.102,10.ABC',
        RESOLVER_AUTHORITY: 'user@host',
        DATABASE_POOL_SIZE: '0',
      },
      ...['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'NAMING_AUTHORITIES', '10.ABC', 'RESOLVER', 'DATABASE_POOL_SIZE'],
    );
  });

  it.concurrent.each([
    ['open access beyond this machine', { HOST: '0.0.0.0' }, 'ACCESS'],
    ['keys without a key', { ACCESS: 'keys' }, 'ADMIN_API_KEY'],
    ['a database of your own without a key', { DATABASE_URL: 'postgresql://127.0.0.1/x' }, 'ADMIN_API_KEY'],
    ['a short key', { ACCESS: 'keys', ADMIN_API_KEY: 'short' }, '32 characters'],
  ])('rejects %s', async (_, variables: Record<string, string>, word) => {
    await rejected({ ...variables }, word);
  });
});
