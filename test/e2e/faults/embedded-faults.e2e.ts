import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { postgresPids } from '../harness/postgres-process.js';
import { type TestServer, runToEnd, startServer } from '../harness/server.js';

const RECOVERY_MS = 45_000;

/** The advisory lock of the service that owns a data folder: "Mint" in ASCII. */
const OWNER_LOCK = 0x4d696e74;

let parent: string;
let folder: string;
let server: TestServer;
let client: Client;

async function start(): Promise<void> {
  server = await startServer({ DATA_DIR: folder });
  client = new Client(server.url);
  expect((await client.mint()).status).toBe(201);
}

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mintmark-faults-'));
  folder = join(parent, 'data');
  await start();
});
afterAll(async () => {
  server.child.kill('SIGCONT');
  if (server.child.exitCode === null) await server.stop();
  await rm(parent, { recursive: true, force: true });
});

/** The process ID of the PostgreSQL server on the data folder. */
const postmaster = (): number | undefined => postgresPids(folder)[0];

async function connect(database = 'mintmark'): Promise<pg.Client> {
  const port = Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[3]);
  const password = await readFile(join(folder, 'postgres.password'), 'utf8');
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'mintmark', password, database });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Kills one process of the server, which then closes all its sessions and recovers. */
async function crashOneProcess(): Promise<void> {
  const session = await connect();
  // Its own: the service closes the idle ones of its pools.
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const ended = new Promise((resolve) => session.once('end', resolve));
  process.kill(rows[0]!.pid, 'SIGKILL');
  await ended;
}

async function eventually(question: () => Promise<boolean>): Promise<boolean> {
  const giveUp = Date.now() + RECOVERY_MS;
  while (Date.now() < giveUp) {
    if (await question().catch(() => false)) return true;
    await pause(100);
  }
  return false;
}

const mints = async () => (await client.mint()).status === 201;

const end = ({ child }: TestServer) => new Promise((resolve) => child.once('close', resolve));

describe('the embedded database', () => {
  it('remains owned by its service when a process crashes: another service is rejected the data folder', async () => {
    await crashOneProcess();
    const { code, stderr } = await runToEnd({ DATA_DIR: folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining('in use by another Mintmark')]);
    expect(await eventually(mints)).toBe(true);
  });

  it('is started again on the same port when it is killed, and nothing acknowledged is lost', async () => {
    const { identifier } = (await client.mint()).body;
    const before = postmaster()!;
    const { port } = await connect();
    process.kill(before, 'SIGKILL');
    expect(await eventually(async () => postmaster() !== before && (await mints()))).toBe(true);
    expect((await client.get('/health/ready')).status).toBe(200);
    expect((await client.get(`/identifiers/${identifier}`)).status).toBe(200);
    const again = await connect();
    expect(again.port).toBe(port);
    await again.end();
    expect((await runToEnd({ DATA_DIR: folder })).code).toBe(1);
  });

  it('is abandoned by its service if another process owns the data folder after a crash', async () => {
    const pid = postmaster();
    server.child.kill('SIGSTOP');
    await crashOneProcess();
    let other: pg.Client | undefined;
    // Advisory locks are local to a database; the owner's is in "postgres".
    const claim = async () => {
      other = await connect('postgres');
      const { rows } = await other.query('SELECT pg_try_advisory_lock($1) AS mine', [OWNER_LOCK]);
      return rows[0].mine === true;
    };
    expect(await eventually(claim)).toBe(true);
    const ended = end(server);
    server.child.kill('SIGCONT');
    expect(await ended).toBe(1);
    expect(server.stderr()).toContain('in use by another Mintmark');
    expect(postmaster()).toBe(pid);
    expect((await other!.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
    await other!.end();
  });

  it('ends the service with exit code 1 and the reason when it cannot be started again', async () => {
    await start();
    const control = join(folder, 'postgres', 'global', 'pg_control');
    const ended = end(server);
    await rename(control, `${control}.moved`);
    process.kill(postmaster()!, 'SIGKILL');
    expect(await ended).toBe(1);
    expect(server.stderr()).toMatch(/the database was lost[^]*restarted in 5 attempts[^]*pg_control/);
  });
});
