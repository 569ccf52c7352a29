import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClusterControl, freePort } from '../../../dist/database/embedded/cluster-control.js';
import { prepareDataFolder } from '../../../dist/database/embedded/data-folder.js';
import { choosePostgresAccount } from '../../../dist/database/embedded/postgres-account.js';
import { Client, coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { readLog } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';

const run = promisify(execFile);

/** The installed programs of PostgreSQL; the embedded one has no pg_dump. */
function installed(): string | undefined {
  const root = '/usr/lib/postgresql';
  const folders = existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
  return folders.find((folder) => ['initdb', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, name))));
}

const programs = installed() ?? '';
const program = (name: string) => join(programs, name);

let parent: string;
const clusters: ClusterControl[] = [];
const servers: TestServer[] = [];

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mintmark-restore-'));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all(clusters.map((cluster) => cluster.stop()));
  await rm(parent, { recursive: true, force: true });
});

/**
 * A new cluster with an empty database.
 * @returns the URL of the database.
 */
async function newCluster(name: string): Promise<string> {
  const folder = await prepareDataFolder(join(parent, name));
  const binaries = { initdb: program('initdb'), pg_ctl: program('pg_ctl'), postgres: program('postgres') };
  const account = choosePostgresAccount(binaries, folder.path);
  await account.own(folder.path);
  const made = await account.run(binaries.initdb, [
    ...['-D', folder.cluster, '-U', 'mintmark', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
  ]);
  expect(made).toMatchObject({ code: 0 });
  const cluster = new ClusterControl(binaries, folder, account);
  const port = await freePort();
  await cluster.start(port);
  clusters.push(cluster);
  const address = `postgresql://mintmark@127.0.0.1:${port}`;
  await query(`${address}/postgres`, 'CREATE DATABASE registry');
  return `${address}/registry`;
}

/** Two services that start concurrently, and mint until `stop` is called. */
async function startUnderLoad(url: string) {
  const variables = { DATABASE_URL: url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };
  const started = await Promise.all([startServer(variables), startServer(variables)]);
  servers.push(...started);
  const minted: string[] = [];
  const state = { stopping: false };
  const minters = started.flatMap((server) =>
    Array.from({ length: 3 }, async () => {
      const client = new Client(server.url);
      while (!state.stopping) {
        const { status, body } = await client.mint();
        expect(status).toBe(201);
        minted.push(body.identifier as string);
      }
    }),
  );
  const stop = async () => {
    state.stopping = true;
    await Promise.all(minters);
  };
  return { client: new Client(started[0].url), minted, stop };
}

async function reach(list: readonly string[], length: number): Promise<void> {
  while (list.length < length) await pause(20);
}

const greatest = async (url: string) =>
  BigInt((await query<{ p: string }>(url, 'SELECT max(position) AS p FROM event'))[0]!.p);

(programs === '' ? describe.skip : describe)(
  "a registry that is dumped and restored into a younger cluster, under load (needs Debian's postgresql)",
  () => {
    it('places every new event behind all old ones, cursors go on, and readers that were ahead of the dump are told where to start', async () => {
      const [old, young] = [await newCluster('old'), await newCluster('young')];
      // Each block with an exception handler is a subtransaction with its own number.
      await query(
        old,
        `CREATE TEMP TABLE t (n int);
       DO $$ BEGIN FOR n IN 1..30000 LOOP BEGIN INSERT INTO t VALUES (n); EXCEPTION WHEN division_by_zero THEN END; END LOOP; END $$`,
      );
      const before = await startUnderLoad(old);
      await reach(before.minted, 50);
      const file = join(parent, 'registry.dump');
      await run(program('pg_dump'), ['-Fc', '-f', file, old]);
      await reach(before.minted, before.minted.length + 50);
      await before.stop();
      const all = await readLog(before.client);
      const lastOld = await greatest(old);

      await run(program('pg_restore'), ['--exit-on-error', '-d', young, file]);
      const lastRestored = await greatest(young);
      const next = await query<{ n: string }>(young, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS n');
      expect(BigInt(next[0]!.n)).toBeLessThan(lastRestored);
      expect(lastRestored).toBeLessThan(lastOld);

      const after = await startUnderLoad(young);
      await reach(after.minted, 50);
      await after.stop();
      const eventsAfter = async (cursor: string) =>
        (await readLog(after.client, cursor)).events.map(({ identifier }) => identifier);
      const restored = await query<{ n: number }>(
        young,
        `SELECT count(*)::int AS n FROM event WHERE position <= ${lastOld}`,
      );
      const count = restored[0]!.n;
      // A reader ahead of the dump starts again before what the dump lacks, and one behind it gets the rest.
      const ahead = await after.client.get(`/events?cursor=${all.next}`);
      expect(coded(ahead)).toEqual([410, 'CURSOR_AHEAD']);
      const again = await eventsAfter(ahead.body.next as string);
      expect(again.slice(-after.minted.length).sort()).toEqual([...after.minted].sort());
      const whole = await eventsAfter(all.events[0]!.id);
      expect(whole).toHaveLength(count - 1 + after.minted.length);
      expect(whole.slice(count - 1).sort()).toEqual([...after.minted].sort());
    });
  },
);
