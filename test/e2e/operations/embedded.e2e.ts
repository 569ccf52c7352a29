import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { postgresPids, postgresRuns } from '../harness/postgres-process.js';
import { runToEnd, startPublished } from '../harness/server.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';

/**
 * mkdtemp creates a folder that only its owner can enter; as root, PostgreSQL's account must be able to traverse it.
 */
let parent: string;
let dataDir: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mintmark-data-'));
  dataDir = join(parent, 'data');
});
afterAll(async () => {
  await rm(parent, { recursive: true, force: true });
});

describe('the embedded database', () => {
  it('starts with an empty folder, prints its addresses, and mints with the command it prints', async () => {
    const server = await startPublished({ DATA_DIR: dataDir });
    const words = server.stderr();
    expect(words).toContain(`${server.url}/docs`);
    expect(words).toContain(dataDir);
    const [curl] = /curl -X POST [^\n]*\\\n[^\n]*/.exec(words) ?? [];
    const minted = spawnSync('sh', ['-c', `${curl ?? ''} -s`], { encoding: 'utf8' });
    expect(JSON.parse(minted.stdout)).toMatchObject({ namingAuthority: '100.102', state: 'active' });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(postgresRuns(dataDir)).toBe(false);
  });

  it('has everything still there after a stop and a start', async () => {
    const first = await startPublished({ DATA_DIR: dataDir });
    const { identifier } = (await new Client(first.url).mint()).body;
    await first.stop('SIGINT');
    const second = await startPublished({ DATA_DIR: dataDir });
    expect((await new Client(second.url).get(`/identifiers/${identifier}`)).status).toBe(200);
    await second.stop();
  });

  it('passes no variable of the service to PostgreSQL', async () => {
    const server = await startPublished({
      DATA_DIR: dataDir,
      ACCESS: 'keys',
      ADMIN_API_KEY: ADMIN_KEY,
      OTHER_SECRET: 'hush',
    });
    const [, , , port] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
    const password = (await readFile(join(dataDir, 'postgres.password'), 'utf8')).trim();
    const url = `postgresql://mintmark:${password}@127.0.0.1:${port}/mintmark`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // A program that a session starts has the environment of the session's process.
    const rows = await client
      .query("CREATE TEMP TABLE env (line text); COPY env FROM PROGRAM 'env'")
      .then(() => client.query<{ line: string }>('SELECT line FROM env'))
      .then((result) => result.rows)
      .finally(() => client.end())
      .finally(() => server.stop());
    const names = rows.map(({ line }) => line.split('=')[0]);
    // pg_ctl passes it to the server, so this is the environment under test.
    expect(names).toContain('PG_GRANDPARENT_PID');
    const own = Object.keys(process.env).filter((name) => !/^(PATH|PWD|OLDPWD|SHLVL|_|LC_.*)$/.test(name));
    expect(names.filter((name) => [...own, 'ADMIN_API_KEY', 'OTHER_SECRET', 'DATA_DIR'].includes(name!))).toEqual([]);
    expect(JSON.stringify(rows)).not.toContain(ADMIN_KEY);
  });

  it.each([
    { killed: 'the service', database: false },
    { killed: 'PostgreSQL and then of the service', database: true },
  ])(
    'loses no acknowledged identifier to kill -9 of $killed under load, and recovers by itself',
    async ({ database }) => {
      const first = await startPublished({ DATA_DIR: dataDir });
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
      const second = await startPublished({ DATA_DIR: dataDir });
      const again = new Client(second.url);
      for (const identifier of acknowledged) {
        expect([identifier, (await again.get(`/identifiers/${identifier}`)).status]).toEqual([identifier, 200]);
      }
      expect((await second.stop()).code).toBe(0);
    },
  );

  it('a signal during the start leaves no database behind', async () => {
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
  const refused = async (variables: Record<string, string>, ...words: string[]) => {
    const { code, stderr, stdout } = await runToEnd(variables);
    expect(code).toBe(1);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr.match(/Mintmark cannot start/g)).toHaveLength(1);
    expect(stderr + stdout).not.toMatch(/^ +at /m);
  };

  it('names a port that is in use, and stops the database again', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const { port } = occupant.address() as { port: number };
    await refused({ DATA_DIR: dataDir, PORT: String(port) }, `Port ${port}`, 'PORT');
    occupant.close();
    expect(postgresRuns(dataDir)).toBe(false);
  });

  it('names a data folder that is in use, whose service continues', async () => {
    const first = await startPublished({ DATA_DIR: dataDir });
    await refused({ DATA_DIR: dataDir }, dataDir, 'in use by another Mintmark');
    expect((await new Client(first.url).mint()).status).toBe(201);
    await first.stop();
  });

  it('names a data folder that cannot be one', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await refused({ DATA_DIR: file }, file, 'DATA_DIR', 'is a file');
    await refused({ DATA_DIR: join(file, 'below') }, file, 'DATA_DIR', 'is a file');
  });

  it('says of a data folder that lacks files, as a copy of a running one can, what to restore', async () => {
    const copy = join(parent, 'copy');
    execFileSync('cp', ['-a', dataDir, copy]);
    await rm(join(copy, 'postgres', 'global', 'pg_control'));
    await refused({ DATA_DIR: copy }, copy, 'made while the service was stopped');
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('says of a copy whose files belong to another account how to copy them', async () => {
    const copy = join(parent, 'copy-of-root');
    execFileSync('cp', ['-r', dataDir, copy]);
    await refused({ DATA_DIR: copy }, copy, 'cp -a');
  });

  it('says of an address that is not one of this machine that HOST is to be set', async () => {
    await refused({ DATA_DIR: dataDir, HOST: '192.0.2.1', ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY }, 'Set HOST');
  });

  it('names a database that its password does not open', async () => {
    const password = join(dataDir, 'postgres.password');
    const original = await readFile(password);
    await writeFile(password, 'another');
    await refused({ DATA_DIR: dataDir }, 'cannot be opened', 'password');
    await writeFile(password, original);
    expect(postgresRuns(dataDir)).toBe(false);
  });

  it('of two concurrent first starts permits one and refuses the other', async () => {
    const folder = join(parent, 'contested');
    const both = await Promise.allSettled([startPublished({ DATA_DIR: folder }), startPublished({ DATA_DIR: folder })]);
    const [up, ...others] = both.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(others).toEqual([]);
    expect((await new Client(up!.url).mint()).status).toBe(201);
    await up!.stop();
  });

  it('names a data folder of another version of PostgreSQL, and does not change it', async () => {
    const old = join(parent, 'old');
    await mkdir(join(old, 'postgres'), { recursive: true });
    await writeFile(join(old, 'postgres', 'PG_VERSION'), '12\n');
    await refused({ DATA_DIR: old }, 'PostgreSQL 12', 'PostgreSQL 18');
  });

  it('names a database that cannot be reached, without its password', async () => {
    const url = 'postgresql://mintmark:very-secret@127.0.0.1:1/mintmark';
    await refused({ DATABASE_URL: url, ACCESS: 'open' }, 'cannot be reached', 'ECONNREFUSED');
    expect((await runToEnd({ DATABASE_URL: url, ACCESS: 'open' })).stderr).not.toContain('very-secret');
  });

  it('names a misspelled variable, which it does not read, and no other variable', async () => {
    const server = await startPublished({
      DATA_DIR: dataDir,
      DATABSE_URL: 'postgresql://x:hush@127.0.0.1/x',
      PORTS: '1',
    });
    await server.stop();
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

  it('names every wrong variable together', async () => {
    await refused(
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

  it.each([
    ['open access beyond this machine', { HOST: '0.0.0.0' }, 'ACCESS'],
    ['keys without a key', { ACCESS: 'keys' }, 'ADMIN_API_KEY'],
    ['a database of your own without a key', { DATABASE_URL: 'postgresql://127.0.0.1/x' }, 'ADMIN_API_KEY'],
    ['a short key', { ACCESS: 'keys', ADMIN_API_KEY: 'short' }, '32 characters'],
  ])('refuses %s', async (_, variables: Record<string, string>, word) => {
    await refused({ ...variables }, word);
  });
});
