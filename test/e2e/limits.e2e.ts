import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Answer, Client } from './harness/client.js';
import { type TestDatabase, createDatabase } from './harness/database.js';
import { type TestServer, startServer } from './harness/server.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);
const MISSING = '/identifiers/100.102/00000000000000000000000000000001';

let database: TestDatabase;
const servers: TestServer[] = [];

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

/** A service with its own limits; all of them share one database. */
async function start(variables: Record<string, string>): Promise<Client> {
  const server = await startServer({
    DATABASE_URL: database.url,
    ACCESS: 'keys',
    ADMIN_API_KEY: ADMIN_KEY,
    NAMING_AUTHORITIES: '100.102,2000.01',
    ...variables,
  });
  servers.push(server);
  return new Client(server.url);
}

/** The header of a new key that may mint. */
async function createKey(client: Client): Promise<{ authorization: string }> {
  const answer = await client.post('/api-keys', { client: 'repository', scopes: ['mint', 'read'] }, ADMIN);
  expect(answer.status).toBe(201);
  return bearer(answer.body.secret);
}

/** The members of a list of structured fields whose values are strings and whose parameters are integers. */
function listOf(header: string | null): Record<string, Record<string, number>> {
  return Object.fromEntries(
    (header ?? '').split(', ').map((member) => {
      const [, name = '', parameters = ''] = /^"([a-z-]+)"((?:;[a-z]+=[0-9]+)+)$/.exec(member) ?? [];
      const pairs = parameters.slice(1).split(';');
      return [
        name,
        Object.fromEntries(pairs.map((pair) => pair.split('=')).map(([key, value]) => [key, Number(value)])),
      ];
    }),
  );
}

function expectRefused(answer: Answer, status: number, code: string): number {
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
  return Number(answer.headers.get('retry-after'));
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

async function refusals(client: Client, reason: string): Promise<number> {
  const text = await (await fetch(`${client.base}/metrics`, { headers: ADMIN })).text();
  return Number(new RegExp(`^mintmark_refused_requests_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

describe('the rate of a key', () => {
  it('is told on every answer, is refused when it is used up, and recovers after Retry-After', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '20' });
    const key = await createKey(client);
    const answers: Answer[] = [];
    for (let i = 0; i < 20; i++) answers.push(await client.get(i % 2 === 0 ? '/identifiers?limit=1' : MISSING, key));
    expect(new Set(statuses(answers))).toEqual(new Set([200, 404]));
    const [first] = answers;
    expect(listOf(first!.headers.get('ratelimit-policy'))).toEqual({ key: { q: 20, w: 60 } });
    expect(listOf(first!.headers.get('ratelimit')).key).toMatchObject({ r: 19, t: 3 });
    // The bucket fills by one in three seconds, and twenty requests may have taken as long.
    const more: Answer[] = [];
    while (more.at(-1)?.status !== 429 && more.length < 10) more.push(await client.mint({}, key));
    const refused = more.at(-1)!;
    const wait = expectRefused(refused, 429, 'RATE_LIMITED');
    expect(wait).toBeLessThanOrEqual(3);
    expect(listOf(refused.headers.get('ratelimit')).key).toMatchObject({ r: 0 });
    expect(await refusals(client, 'key_rate')).toBe(1);
    await pause(wait * 1000);
    expect((await client.mint({}, key)).status).toBe(201);
  });

  it('is not shared by two keys, nor by a key and those without, but by both ways to write one', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '3' });
    const [one, other] = [await createKey(client), await createKey(client)];
    for (const headers of [one, other, {}]) {
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push(await client.get(MISSING, headers));
      expect(statuses(answers)).toEqual([404, 404, 404, 429]);
    }
    const again = { authorization: one.authorization.replace('Bearer', 'bearer') };
    expectRefused(await client.get(MISSING, again), 429, 'RATE_LIMITED');
  });

  it('refuses before the body is judged, and never health checks', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1' });
    expect((await client.post('/normalize', { nonsense: 1 })).status).toBe(400);
    expectRefused(await client.post('/normalize', { nonsense: 1 }), 429, 'RATE_LIMITED');
    for (const path of ['/health/live', '/health/ready', '/problems/RATE_LIMITED']) {
      const answer = await client.get(path);
      expect([path, answer.status, answer.headers.get('ratelimit')]).toEqual([path, 200, null]);
    }
  });

  it('without a key is that of the address; a proxy is believed only when it is trusted', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const strict = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1' });
    expect((await strict.get(MISSING, from('192.0.2.1'))).status).toBe(404);
    expectRefused(await strict.get(MISSING, from('192.0.2.2')), 429, 'RATE_LIMITED');
    const behind = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.0/8' });
    expect((await behind.get(MISSING, from('192.0.2.1'))).status).toBe(404);
    expect((await behind.get(MISSING, from('192.0.2.2'))).status).toBe(404);
    expectRefused(await behind.get(MISSING, from('192.0.2.1')), 429, 'RATE_LIMITED');
    // What the client itself wrote in front of what the proxy saw changes nothing.
    expectRefused(await behind.get(MISSING, from('198.51.100.9, 192.0.2.1')), 429, 'RATE_LIMITED');
  });

  it('is not limited by default where access is open', async () => {
    const client = await start({ ACCESS: 'open' });
    const answer = await client.mint();
    expect([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([
      201,
      null,
      null,
    ]);
  });
});

describe('the rate of a naming authority', () => {
  it('is the same for all keys, another one for each naming authority, and leaves look-ups alone', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '4' });
    const [one, other] = [await createKey(client), await createKey(client)];
    const minted = [];
    for (const key of [one, other, one, other]) minted.push(await client.mint({}, key));
    expect(statuses(minted)).toEqual([201, 201, 201, 201]);
    expect(listOf(minted[0]!.headers.get('ratelimit-policy'))['naming-authority']).toEqual({ q: 4, w: 60 });
    expect(listOf(minted[0]!.headers.get('ratelimit'))['naming-authority']).toMatchObject({ r: 3 });
    expect(listOf(minted[0]!.headers.get('ratelimit'))).toHaveProperty('key');
    expectRefused(await client.mint({}, one), 429, 'RATE_LIMITED');
    expectRefused(await client.mint({}, other), 429, 'RATE_LIMITED');
    expect((await client.mint({ namingAuthority: '2000.01' }, one)).status).toBe(201);
    expect((await client.get(`/identifiers/${minted[0]!.body.identifier}`, one)).status).toBe(200);
    expect(await refusals(client, 'naming_authority_rate')).toBe(2);
  });

  it('counts identifiers, not requests: a pair is two', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '3' });
    expect((await client.mint({ mintMetadataId: true }, ADMIN)).status).toBe(201);
    expectRefused(await client.mint({ mintMetadataId: true }, ADMIN), 429, 'RATE_LIMITED');
    expect((await client.mint({}, ADMIN)).status).toBe(201);
  });

  it('counts a batch and a reservation by their identifiers, all or none', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '10' });
    const batch = (count: number, namingAuthority: string) =>
      client.post('/identifiers/batch', { namingAuthority, count }, ADMIN);
    expect((await batch(9, '100.102')).status).toBe(200);
    expectRefused(await batch(5, '100.102'), 429, 'RATE_LIMITED');
    expect((await client.mint({}, ADMIN)).status).toBe(201);
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reserve = (count: number) =>
      client.post('/reservations', { namingAuthority: '2000.01', count, leaseUntil }, ADMIN);
    expect((await reserve(8)).status).toBe(201);
    expectRefused(await reserve(8), 429, 'RATE_LIMITED');
    expectRefused(await batch(8, '2000.01'), 429, 'RATE_LIMITED');
  });

  it('refuses the lines of a stream that are too many, and mints the others', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '2' });
    for (let i = 0; i < 2; i++) expect((await client.mint({}, ADMIN)).status).toBe(201);
    const lines = ['100.102', '2000.01', '100.102'].map((namingAuthority) => JSON.stringify({ namingAuthority }));
    const answer = await fetch(`${client.base}/identifiers/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...ADMIN },
      body: lines.join('\n'),
    });
    const results = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ status }) => status)).toEqual([429, 201, 429]);
    expect(results[0].problem.code).toBe('RATE_LIMITED');
  });

  it('recovers after Retry-After, and what was refused has minted nothing', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '30' });
    const asked = { namingAuthority: '2000.01', target: 'https://repo.example.org/limited' };
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.mint(asked, ADMIN)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    const waits = refused.map((answer) => expectRefused(answer, 429, 'RATE_LIMITED'));
    await pause(Math.max(...waits) * 1000);
    const after = await client.mint(asked, ADMIN);
    expect(after.status).toBe(201);
    const found = await client.get(`/identifiers?target=${encodeURIComponent(asked.target)}`, ADMIN);
    expect(found.body.items).toHaveLength(answers.length - refused.length + 1);
  });
});

describe('requests at once', () => {
  it('are as many as a key may have; another key goes on, and so does the same one when they have ended', async () => {
    const client = await start({ MAX_CONCURRENT_PER_KEY: '3' });
    const [one, other] = [await createKey(client), await createKey(client)];
    // Nobody else's change may have to wait behind these, so that three stay under way until the lock goes.
    const lock = await lockTable('api_key');
    const waiting = Array.from({ length: 3 }, () => createKeyRaw(client));
    await lock.until(3);
    expectRefused(await client.get('/identifiers', ADMIN), 429, 'CONCURRENCY_LIMITED');
    expect((await client.mint({}, one)).status).toBe(201);
    expect((await client.mint({}, other)).status).toBe(201);
    await lock.release();
    expect(statuses(await Promise.all(waiting))).toEqual([201, 201, 201]);
    expect((await client.get('/identifiers', ADMIN)).status).toBe(200);
    expect(await refusals(client, 'key_concurrency')).toBe(1);
  });

  it('of a client that hung up hold no room', async () => {
    const client = await start({ MAX_CONCURRENT_PER_KEY: '1' });
    const lock = await lockTable('api_key');
    const hungUp = new AbortController();
    const given = fetch(`${client.base}/api-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ADMIN },
      body: JSON.stringify({ client: 'repository', scopes: ['mint'] }),
      signal: hungUp.signal,
    }).catch((error: unknown) => error);
    await lock.until(1);
    expectRefused(await client.get('/identifiers', ADMIN), 429, 'CONCURRENCY_LIMITED');
    hungUp.abort();
    await given;
    await waitUntil(async () => (await client.get('/identifiers', ADMIN)).status === 200);
    await lock.release();
  });
});

describe('long polls and event streams', () => {
  it('have a bound of their own, and leave the other requests of the same key alone', async () => {
    const client = await start({ MAX_LONG_LIVED_PER_KEY: '2', MAX_CONCURRENT_PER_KEY: '1' });
    const hangUp = new AbortController();
    const stream = await fetch(`${client.base}/events`, {
      headers: { accept: 'text/event-stream', ...ADMIN },
      signal: hangUp.signal,
    });
    expect(stream.status).toBe(200);
    const last = await client.get('/events?limit=1000', ADMIN);
    const poll = fetch(`${client.base}/events?wait=20&after=${last.body.next}`, {
      headers: ADMIN,
      signal: hangUp.signal,
    }).catch((error: unknown) => error);
    await waitUntil(async () => (await client.get('/events', ADMIN)).status === 429);
    expectRefused(await client.get('/events', ADMIN), 429, 'CONCURRENCY_LIMITED');
    expect((await client.get('/identifiers', ADMIN)).status).toBe(200);
    expect((await client.get('/events', await createKey(client))).status).toBe(200);
    hangUp.abort();
    await poll;
    await waitUntil(async () => (await client.get('/events', ADMIN)).status === 200);
  });
});

describe('an overload', () => {
  it('refuses mints at once, but no look-up, and is over when the database is free again', async () => {
    const client = await start({
      DATABASE_POOL_SIZE: '4',
      // Long enough that nobody gives up before the lock goes.
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      DATABASE_STATEMENT_TIMEOUT_MS: '180000',
      OVERLOAD_WAITING_STATEMENTS: '4',
      MAX_CONCURRENT_PER_KEY: '0',
    });
    const minted = await client.mint({}, ADMIN);
    const path = `/identifiers/${minted.body.identifier}`;
    const lock = await lockTable('api_key');
    const waiting = Array.from({ length: 8 }, () => createKeyRaw(client));
    await lock.until(4);
    await waitUntil(async () => (await queueDepth(client)) >= 4);
    for (let i = 0; i < 5; i++) expectRefused(await client.mint({}, ADMIN), 503, 'OVERLOADED');
    const found = client.get(path);
    expect((await client.post('/normalize', { items: [{ input: 'hdl:1/2' }] })).status).toBe(200);
    expect((await client.get('/health/live')).status).toBe(200);
    expectRefused(await client.mint({}, ADMIN), 503, 'OVERLOADED');
    expect(await refusals(client, 'overload')).toBe(6);
    await lock.release();
    expect((await found).status).toBe(200);
    expect(new Set(statuses(await Promise.all(waiting)))).toEqual(new Set([201]));
    expect((await client.mint({}, ADMIN)).status).toBe(201);
  });
});

const createKeyRaw = (client: Client) => client.post('/api-keys', { client: 'repository', scopes: ['mint'] }, ADMIN);

async function queueDepth(client: Client): Promise<number> {
  const text = await (await fetch(`${client.base}/metrics`, { headers: ADMIN })).text();
  return Number(/^mintmark_queue_depth\{queue="database_pool"\} (\d+)$/m.exec(text)?.[1]);
}

/** Keeps others from writing a table until it is released; they may read. */
async function lockTable(table: string) {
  const holder = new pg.Client({ connectionString: database.url });
  // A test that fails leaves the lock to the end of the database.
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  return {
    /** Waits until so many statements wait for a lock. */
    until: (count: number) =>
      waitUntil(async () => {
        // Within a transaction the same picture is shown again.
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
