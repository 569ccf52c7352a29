/** A standby that confirms commits: no session that waits for it is ended, and connections are used again. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type Replicated, startReplicated } from '../harness/replicated.js';
import { type TestServer, startServer } from '../harness/server.js';

const LOADED_MS = 4000;
const CLIENTS = 8;

/** The connections of the four pools: 20, 6, 1 and 1 by default, of which the load opens some, and those of the test. */
const MOST_SESSIONS = 28;

let postgres: Replicated;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  postgres = await startReplicated();
  await query(postgres.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(postgres.primary, 'SELECT pg_reload_conf()');
  for (let attempt = 0; attempt < 100; attempt++) {
    const [row] = await query<{ state: string }>(
      postgres.primary,
      'SELECT sync_state AS state FROM pg_stat_replication',
    );
    if (row?.state === 'sync') break;
    await pause(100);
  }
  server = await startServer({ DATABASE_URL: postgres.primary, NAMING_AUTHORITIES: '100.102', ACCESS: 'open' });
  client = new Client(server.url);
}, 60_000);

afterAll(async () => {
  await server.stop();
  await postgres.stop();
}, 60_000);

async function sessions(): Promise<number> {
  const [row] = await query<{ n: number }>(postgres.primary, 'SELECT sum(sessions)::int AS n FROM pg_stat_database');
  return row!.n;
}

it('mints and reads for seconds without an error or a lost session', async () => {
  const { body } = await client.mint();
  const before = await sessions();
  const statuses = new Set<number>();
  const end = performance.now() + LOADED_MS;
  const work = async () => {
    while (performance.now() < end) {
      statuses.add((await client.mint({}, { 'idempotency-key': crypto.randomUUID() })).status);
      statuses.add((await client.get(`/identifiers/${body.identifier}`)).status);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  expect([...statuses].sort()).toEqual([200, 201]);
  expect(server.stdout()).not.toContain('ended sessions');
  expect((await sessions()) - before).toBeLessThan(MOST_SESSIONS);
}, 60_000);
