import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../dist/database/migrations.js';
import { Client } from '../harness/client.js';
import { query, withoutTriggers } from '../harness/database.js';
import type { SeenEvent } from '../harness/log-reader.js';
import { Postgres } from '../harness/postgres.js';
import { type TestServer, startServer } from '../harness/server.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

// Real: logical replication from one server to another, and a switch-over while the service runs.

const MERGE = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

let former: Postgres;
let next: Postgres;
let proxy: TcpProxy;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  [former, next] = await Promise.all([Postgres.start(), Postgres.start()]);
  await query(former.url, 'ALTER SYSTEM SET wal_level = logical');
  await former.halt('fast');
  await former.launch();
  await Promise.all([migrate(former.url), migrate(next.url)]);
  proxy = await TcpProxy.before(former.url);
  server = await startServer({
    DATABASE_URL: proxy.addressOf(former.url),
    ACCESS: 'open',
    NAMING_AUTHORITIES: '100.102',
  });
  client = new Client(server.url);
}, 60_000);
afterAll(async () => {
  await server.stop();
  await proxy.close();
  await Promise.all([former.stop(), next.stop()]);
}, 60_000);

async function until(url: string, condition: string): Promise<void> {
  while ((await query<{ isTrue: boolean }>(url, `SELECT ${condition} AS "isTrue"`))[0]?.isTrue !== true)
    await pause(50);
}

/** Sends a request again, with the same key, until it has succeeded. */
async function insist(send: (headers: Record<string, string>) => ReturnType<Client['get']>): Promise<any> {
  const key = { 'idempotency-key': crypto.randomUUID() };
  for (;;) {
    const { status, body } = await send(key);
    if (status === 200 || status === 201) return body;
    if (status !== 503) throw new Error(`${status}: ${JSON.stringify(body)}`);
    await pause(50);
  }
}

const state = { writing: true };

/** Mints and changes until it is stopped. @returns what the feed must have, as `identifier version`. */
async function write(): Promise<string[]> {
  const written: string[] = [];
  while (state.writing) {
    const { identifier } = await insist((key) => client.mint({}, key));
    written.push(`${identifier} 1`);
    const target = JSON.stringify({ target: 'https://a.example/' });
    const path = `/identifiers/${identifier}`;
    await insist((key) => client.send('PATCH', path, { ...MERGE, ...key }, target));
    written.push(`${identifier} 2`);
  }
  return written;
}

const following = { count: Infinity };

/** A consumer, by its cursor, until it has read `following.count` events. */
async function follow(): Promise<string[]> {
  const events: SeenEvent[] = [];
  for (let cursor = ''; events.length < following.count;) {
    const { status, body } = await client.get(`/events?limit=37&wait=1${cursor}`);
    if (status === 503) await pause(50);
    else if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    else {
      events.push(...(body.items as SeenEvent[]));
      cursor = `&cursor=${body.next as string}`;
    }
  }
  return events.filter(({ identifier }) => identifier !== null).map((event) => `${event.identifier} ${event.version}`);
}

/** As the guide describes it. */
async function switchOver(): Promise<void> {
  await proxy.set('refuse');
  const writers =
    "(SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'mintmark' AND backend_type = 'client backend')";
  await until(former.url, writers);
  const [end] = await query<{ lsn: string }>(former.url, 'SELECT pg_current_wal_lsn()::text AS lsn');
  await until(former.url, `(SELECT bool_and(confirmed_flush_lsn >= '${end!.lsn}') FROM pg_replication_slots)`);
  await query(next.url, 'DROP SUBSCRIPTION mintmark');
  proxy.leadTo(next.url);
  await proxy.set('pass');
}

describe('a switch-over to a server with logical replication', () => {
  it('loses and doubles no event for a consumer, while mints and changes go on', async () => {
    const writing = Promise.all([write(), write(), write()]);
    const consumer = follow();
    const tables = await query<{ name: string }>(
      next.url,
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    );
    // What the migrations inserted is copied too.
    await query(withoutTriggers(next.url), tables.map(({ name }) => `DELETE FROM "${name}"`).join(';'));
    await query(former.url, 'CREATE PUBLICATION mintmark FOR ALL TABLES');
    await query(next.url, `CREATE SUBSCRIPTION mintmark CONNECTION '${former.url}' PUBLICATION mintmark`);
    await until(next.url, "(SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel)");
    await pause(500);
    await switchOver();
    await insist((key) => client.mint({}, key));
    await pause(500);
    state.writing = false;
    const written = (await writing).flat();
    // Also the naming authority, and the mint above.
    following.count = written.length + 2;
    const seen = await consumer;
    expect((await client.get('/health/ready')).status).toBe(200);
    expect(new Set(seen).size).toBe(seen.length);
    expect(written.filter((event) => !seen.includes(event))).toEqual([]);
    expect(seen.length).toBe(written.length + 1);
    const [row] = await query<{ count: number }>(next.url, 'SELECT count(*)::int AS count FROM identifier');
    expect(row!.count).toBe(seen.filter((event) => event.endsWith(' 1')).length);
  }, 60_000);
});
