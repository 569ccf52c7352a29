import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Client } from '../harness/client.js';
import {
  ADMIN,
  createKey,
  expectRejected,
  rejections,
  statuses,
  useLimitedServices,
} from '../harness/limited-services.js';

const services = useLimitedServices();
const { start } = services;

describe('requests at once', () => {
  it('are limited for each key; another key is not affected, and the same one continues when they have ended', async () => {
    const client = await start({ MAX_CONCURRENT_PER_KEY: '3' });
    const [one, other] = [await createKey(client), await createKey(client)];
    // No other change may wait for these, so that three stay in flight until the lock is released.
    const lock = await lockTable('api_key');
    const waiting = Array.from({ length: 3 }, () => createKeyRaw(client));
    await lock.until(3);
    expectRejected(await client.get('/identifiers', ADMIN), 429, 'CONCURRENCY_LIMITED');
    expect((await client.mint({}, one)).status).toBe(201);
    expect((await client.mint({}, other)).status).toBe(201);
    await lock.release();
    expect(statuses(await Promise.all(waiting))).toEqual([201, 201, 201]);
    expect((await client.get('/identifiers', ADMIN)).status).toBe(200);
    expect(await rejections(client, 'key_concurrency')).toBe(1);
  });

  it('of a client that disconnected are counted until their work is over', async () => {
    const client = await start({ MAX_CONCURRENT_PER_KEY: '1' });
    const lock = await lockTable('api_key');
    const hungUp = new AbortController();
    const given = fetch(`${client.base}/api-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ADMIN },
      body: JSON.stringify({ client: 'repository', namingAuthorities: null, scopes: ['mint'] }),
      signal: hungUp.signal,
    }).catch((error: unknown) => error);
    await lock.until(1);
    expectRejected(await client.get('/identifiers', ADMIN), 429, 'CONCURRENCY_LIMITED');
    hungUp.abort();
    await given;
    await pause(200);
    expectRejected(await client.get('/identifiers', ADMIN), 429, 'CONCURRENCY_LIMITED');
    await lock.release();
    await waitUntil(async () => (await client.get('/identifiers', ADMIN)).status === 200);
  });
});

describe('long polls and event streams', () => {
  it('have their own limit, which does not affect other requests of the same key', async () => {
    const client = await start({ MAX_LONG_LIVED_PER_KEY: '2', MAX_CONCURRENT_PER_KEY: '1' });
    const hangUp = new AbortController();
    const stream = await fetch(`${client.base}/events`, {
      headers: { accept: 'text/event-stream', ...ADMIN },
      signal: hangUp.signal,
    });
    expect(stream.status).toBe(200);
    const last = await client.get('/events?limit=1000', ADMIN);
    const poll = fetch(`${client.base}/events?wait=20&cursor=${last.body.next}`, {
      headers: ADMIN,
      signal: hangUp.signal,
    }).catch((error: unknown) => error);
    await waitUntil(async () => (await client.get('/events', ADMIN)).status === 429);
    expectRejected(await client.get('/events', ADMIN), 429, 'CONCURRENCY_LIMITED');
    expect((await client.get('/identifiers', ADMIN)).status).toBe(200);
    expect((await client.get('/events', await createKey(client))).status).toBe(200);
    hangUp.abort();
    await poll;
    await waitUntil(async () => (await client.get('/events', ADMIN)).status === 200);
  });
});

describe('an overload', () => {
  it('rejects mints at once, but no look-up, and is over when the database is free again', async () => {
    const client = await start({
      DATABASE_POOL_SIZE: '4',
      // Longer than the wait for the lock.
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      DATABASE_STATEMENT_TIMEOUT_MS: '180000',
      OVERLOAD_WAITING_STATEMENTS: '4',
      MAX_CONCURRENT_PER_KEY: '0',
    });
    const minted = await client.mint({}, ADMIN);
    const path = `/identifiers/${minted.body.identifier}`;
    const lock = await lockTable('api_key');
    const waiting = Array.from({ length: 8 }, () => createKeyRaw(client));
    // Writes use two of four connections.
    await lock.until(2);
    await waitUntil(async () => (await queueDepth(client)) >= 4);
    for (let i = 0; i < 5; i++) expectRejected(await client.mint({}, ADMIN), 503, 'OVERLOADED');
    const found = client.get(path);
    expect((await client.post('/normalize', { items: [{ input: 'hdl:1/2' }] })).status).toBe(200);
    expect((await client.get('/health/live')).status).toBe(200);
    expectRejected(await client.mint({}, ADMIN), 503, 'OVERLOADED');
    expect(await rejections(client, 'overload')).toBe(6);
    await lock.release();
    expect((await found).status).toBe(200);
    expect(new Set(statuses(await Promise.all(waiting)))).toEqual(new Set([201]));
    expect((await client.mint({}, ADMIN)).status).toBe(201);
  });
});

const createKeyRaw = (client: Client) =>
  client.post('/api-keys', { client: 'repository', namingAuthorities: null, scopes: ['mint'] }, ADMIN);

async function queueDepth(client: Client): Promise<number> {
  const text = await (await fetch(`${client.base}/metrics`, { headers: ADMIN })).text();
  return Number(/^mintmark_queue_depth\{queue="writes"\} (\d+)$/m.exec(text)?.[1]);
}

/** Prevents writes to a table until it is released; reads are possible. */
async function lockTable(table: string) {
  const holder = new pg.Client({ connectionString: services.database.url });
  // If the test fails, the lock is released when the database is dropped.
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  return {
    /** Waits until this number of statements wait for a lock. */
    until: (count: number) =>
      waitUntil(async () => {
        // Within a transaction the view does not change.
        await holder.query('SELECT pg_stat_clear_snapshot()');
        const { rows } = await holder.query<{ waiting: string }>(
          "SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return Number(rows[0]?.waiting) >= count;
      }),
    release: async () => {
      await holder.query('COMMIT');
      await holder.end();
    },
  };
}

async function waitUntil(happened: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await happened()) return;
    await pause(25);
  }
  throw new Error('it did not happen within ten seconds');
}
