import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { Postgres } from '../harness/postgres.js';
import { type TestServer, startPublished } from '../harness/server.js';

let postgres: Postgres;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(async () => {
  await server.stop();
  await postgres.stop();
});

beforeEach(async () => {
  server = await startPublished({
    DATABASE_URL: postgres.url,
    ACCESS: 'open',
    NAMING_AUTHORITIES: '100.102',
    DATABASE_POOL_SIZE: '4',
    DATABASE_CONNECT_TIMEOUT_MS: '1000',
  });
  client = new Client(server.url);
  expect((await ready()).status).toBe(200);
});

const ready = () => client.get('/health/ready');

/** Each commit waits for a standby that does not exist, until `thaw`. */
async function freeze(): Promise<void> {
  await query(postgres.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await query(postgres.url, 'SELECT pg_reload_conf()');
}

async function thaw(): Promise<void> {
  await query(postgres.url, 'ALTER SYSTEM RESET synchronous_standby_names');
  await query(postgres.url, 'SELECT pg_reload_conf()');
}

/** Checks several times a second, as balancers do. */
async function untilReady(status: number): Promise<void> {
  for (let i = 0; i < 150; i++) {
    if ((await ready()).status === status) return;
    await pause(200);
  }
  throw new Error(`no ${status} within 30 seconds`);
}

async function waitingForStandby(): Promise<number> {
  const [row] = await query<{ n: number }>(
    postgres.url,
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'mintmark' AND wait_event = 'SyncRep'`,
  );
  return row!.n;
}

const linesWith = (words: string) =>
  server
    .stdout()
    .split('\n')
    .filter((line) => line.includes(words))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A metric without labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new Map(text.split('\n').map((line) => line.split(' ') as [string, string])).get(name));
}

describe('a standby that confirms no commit', () => {
  it('is noticed without traffic, by one session that waits, and its return too', async () => {
    await freeze();
    await untilReady(503);
    const { body } = await ready();
    expect([body.code, body.detail]).toEqual(['DATABASE_UNAVAILABLE', expect.stringContaining('synchronous standby')]);
    // Longer than the timeout of a statement, after which a second session could be opened.
    for (let i = 0; i < 24; i++) {
      await Promise.all(Array.from({ length: 50 }, ready));
      expect(await waitingForStandby()).toBe(1);
      await pause(500);
    }
    expect(await metric('mintmark_oldest_waiting_write_seconds')).toBeGreaterThan(15);
    expect((await client.get('/identifiers')).status).toBe(200);
    await thaw();
    await untilReady(200);
    expect(await metric('mintmark_oldest_waiting_write_seconds')).toBe(0);
    expect(await metric('mintmark_last_commit_age_seconds')).toBeLessThan(10);
    await pause(6000);
    expect(linesWith('the database fails')).toHaveLength(1);
    expect(linesWith('the database serves again')).toHaveLength(1);
    expect(linesWith('the database serves again')[0]!.seconds).toBeGreaterThan(12);
    await server.stop();
  });

  it('is noticed by mints that wait, and the log has one line for all that fail', async () => {
    await client.mint();
    await freeze();
    const keys = Array.from({ length: 60 }, (_, i) => `frozen-${i}`);
    const mints = keys.map((key) => client.mint({}, { 'idempotency-key': key }));
    await pause(6000);
    const { status, body } = await ready();
    expect([status, body.detail]).toEqual([503, expect.stringContaining('no commit for 5 s')]);
    expect(await metric('mintmark_oldest_waiting_write_seconds')).toBeGreaterThan(5);
    const answers = await Promise.all(mints);
    expect([...new Set(answers.map((answer) => answer.status))]).toEqual([503]);
    await thaw();
    await untilReady(200);
    await pause(6000);
    expect(linesWith('the database fails')).toHaveLength(1);
    const [end] = linesWith('the database serves again');
    expect(end!.failedRequests).toBe(60);
    // At most that of the first error.
    expect(linesWith('    at ').length).toBeLessThan(2);
    await server.stop();
  });

  it('does not count as one that confirms commits when their wait is cancelled', async () => {
    await freeze();
    await untilReady(503);
    for (let round = 0; round < 12; round++) {
      await query(
        postgres.url,
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'mintmark' AND wait_event = 'SyncRep'",
      );
      await pause(400);
      expect((await ready()).status).toBe(503);
    }
    await thaw();
    await untilReady(200);
    await server.stop();
  });

  it('is gone after a failover: the probe that waits at the lost server is given up', async () => {
    await freeze();
    await untilReady(503);
    await postgres.halt();
    await thawWhileStopped();
    await untilReady(200);
    expect((await client.mint()).status).toBe(201);
    await server.stop();
  });
});

/** Starts the server without the standby, as a new primary. */
async function thawWhileStopped(): Promise<void> {
  await postgres.launchAs('primary');
  await thaw();
}
