import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import {
  ADMIN,
  createKey,
  expectRejected,
  rejections,
  statuses,
  useLimitedServices,
} from '../harness/limited-services.js';

const MISSING = '/identifiers/100.102/00000000000000000000000000000001';

const services = useLimitedServices();
const { start } = services;

/** The members of a list of structured fields with strings as values and integers as parameters. */
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

/** Sends a stream. @returns the status of each line. */
async function stream(
  client: Client,
  items: readonly object[],
  headers: Record<string, string> = {},
): Promise<number[]> {
  const answer = await fetch(`${client.base}/identifiers/bulk?namingAuthority=100.102`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...ADMIN, ...headers },
    body: items.map((item) => JSON.stringify(item)).join('\n'),
  });
  return (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).status);
}

/** Rows of the table of identifiers that were ever inserted, also by transactions that were rolled back. */
async function insertions(): Promise<string | undefined> {
  const [row] = await query<{ last: string }>(
    services.database.url,
    'SELECT last_value AS last FROM identifier_id_seq',
  );
  return row?.last;
}

const createdIn = (results: readonly number[]) => results.filter((status) => status === 201).length;

describe('the rate of a key', () => {
  it('is on every response, is enforced when it is used up, and recovers after Retry-After', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '20' });
    const key = await createKey(client);
    const answers: Answer[] = [];
    for (let i = 0; i < 20; i++) answers.push(await client.get(i % 2 === 0 ? '/identifiers?limit=1' : MISSING, key));
    expect(new Set(statuses(answers))).toEqual(new Set([200, 404]));
    const [first] = answers;
    expect(listOf(first!.headers.get('ratelimit-policy'))).toEqual({ key: { q: 20, w: 60 } });
    expect(listOf(first!.headers.get('ratelimit')).key).toMatchObject({ r: 19, t: 3 });
    // The bucket gains one in three seconds, and twenty requests may take as long.
    const more: Answer[] = [];
    while (more.at(-1)?.status !== 429 && more.length < 10) more.push(await client.mint({}, key));
    const rejected = more.at(-1)!;
    const wait = expectRejected(rejected, 429, 'RATE_LIMITED');
    expect(wait).toBeLessThanOrEqual(3);
    expect(listOf(rejected.headers.get('ratelimit')).key).toMatchObject({ r: 0 });
    expect(await rejections(client, 'key_rate')).toBe(1);
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
    expectRejected(await client.get(MISSING, again), 429, 'RATE_LIMITED');
  });

  it('rejects before the body is judged, and never health checks', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1' });
    expect((await client.post('/normalize', { nonsense: 1 })).status).toBe(400);
    expectRejected(await client.post('/normalize', { nonsense: 1 }), 429, 'RATE_LIMITED');
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await client.get(path);
      expect([path, answer.status, answer.headers.get('ratelimit')]).toEqual([path, 200, null]);
    }
  });

  it('without a key also counts public requests: documents and the descriptions of problems', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '4' });
    const key = await createKey(client);
    for (const path of ['/problems/RATE_LIMITED', '/openapi.json', '/docs/index.css', '/docs/none']) {
      const answer = await fetch(client.base + path);
      expect([path, answer.status]).toEqual([path, path === '/docs/none' ? 404 : 200]);
      await answer.arrayBuffer();
    }
    for (const path of ['/problems', '/openapi.json', '/openapi.yaml', '/docs', '/docs/index.css', MISSING]) {
      expectRejected(await client.get(path), 429, 'RATE_LIMITED');
    }
    expect((await client.get(MISSING, key)).status).toBe(404);
    expect((await client.get('/health/live')).status).toBe(200);
  });

  it('without a key counts paths and methods that do not exist, but none of /health', async () => {
    const client = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '2' });
    const key = await createKey(client);
    for (const method of ['GET', 'PUT']) {
      expect((await client.send(method, '/health/nowhere', {})).status).toBe(404);
      expect((await client.send('PUT', '/health/live', {})).status).toBe(405);
    }
    expect((await client.get('/nowhere')).status).toBe(404);
    expect((await client.send('PUT', '/identifiers', {})).status).toBe(405);
    expectRejected(await client.get('/nowhere'), 429, 'RATE_LIMITED');
    expectRejected(await client.get('/%zz'), 429, 'RATE_LIMITED');
    expectRejected(await client.send('PUT', '/identifiers', {}), 429, 'RATE_LIMITED');
    expect((await client.send('PUT', '/health/live', {})).status).toBe(405);
    expect((await client.get(MISSING, key)).status).toBe(404);
  });

  it('without a key is that of the address; a proxy is believed only when it is trusted', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const strict = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1' });
    expect((await strict.get(MISSING, from('192.0.2.1'))).status).toBe(404);
    expectRejected(await strict.get(MISSING, from('192.0.2.2')), 429, 'RATE_LIMITED');
    const behind = await start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.0/8' });
    expect((await behind.get(MISSING, from('192.0.2.1'))).status).toBe(404);
    expect((await behind.get(MISSING, from('192.0.2.2'))).status).toBe(404);
    expectRejected(await behind.get(MISSING, from('192.0.2.1')), 429, 'RATE_LIMITED');
    // A port does not make another client, and some proxies write one.
    const ported = [
      '192.0.2.1:2001',
      '192.0.2.1:2002',
      '198.51.100.9:1, 192.0.2.1',
      '198.51.100.9, 192.0.2.1:7, 127.0.0.1:9',
    ];
    for (const address of ported) expectRejected(await behind.get(MISSING, from(address)), 429, 'RATE_LIMITED');
    expect((await behind.get(MISSING, from('[2001:db8:1:2::1]:2001'))).status).toBe(404);
    for (const address of ['[2001:db8:1:2::2]:2002', '2001:DB8:1:2::3', '[2001:0db8:1:2::4]'])
      expectRejected(await behind.get(MISSING, from(address)), 429, 'RATE_LIMITED');
    // Entries of the client before that of the proxy have no effect.
    expectRejected(await behind.get(MISSING, from('198.51.100.9, 192.0.2.1')), 429, 'RATE_LIMITED');
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
  let ofThree: Client;

  beforeAll(async () => {
    ofThree = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '3' });
    for (const namingAuthority of ['3001', '3002', '3003', '3004']) {
      expect((await ofThree.post('/naming-authorities', { namingAuthority }, ADMIN)).status).toBe(201);
    }
  });

  it('is common to all keys, separate for each naming authority, and does not apply to look-ups', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '4' });
    const [one, other] = [await createKey(client), await createKey(client)];
    const minted = [];
    for (const key of [one, other, one, other]) minted.push(await client.mint({}, key));
    expect(statuses(minted)).toEqual([201, 201, 201, 201]);
    expect(listOf(minted[0]!.headers.get('ratelimit-policy'))['naming-authority']).toEqual({ q: 4, w: 60 });
    expect(listOf(minted[0]!.headers.get('ratelimit'))['naming-authority']).toMatchObject({ r: 3 });
    expect(listOf(minted[0]!.headers.get('ratelimit'))).toHaveProperty('key');
    expectRejected(await client.mint({}, one), 429, 'RATE_LIMITED');
    expectRejected(await client.mint({}, other), 429, 'RATE_LIMITED');
    expect((await client.mint({ namingAuthority: '2000.01' }, one)).status).toBe(201);
    expect((await client.get(`/identifiers/${minted[0]!.body.identifier}`, one)).status).toBe(200);
    expect(await rejections(client, 'naming_authority_rate')).toBe(2);
  });

  it('counts identifiers, not requests: a pair is two', async () => {
    const pair = { namingAuthority: '3001', mintMetadataId: true };
    expect((await ofThree.mint(pair, ADMIN)).status).toBe(201);
    expectRejected(await ofThree.mint(pair, ADMIN), 429, 'RATE_LIMITED');
    expect((await ofThree.mint({ namingAuthority: '3001' }, ADMIN)).status).toBe(201);
  });

  it('counts a batch and a reservation by their identifiers, all or none', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '10' });
    const batch = (count: number, namingAuthority: string) =>
      client.post('/identifiers/batch', { namingAuthority, count }, ADMIN);
    expect((await batch(9, '100.102')).status).toBe(200);
    expectRejected(await batch(5, '100.102'), 429, 'RATE_LIMITED');
    expect((await client.mint({}, ADMIN)).status).toBe(201);
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reserve = (count: number) =>
      client.post('/reservations', { namingAuthority: '2000.01', count, leaseUntil }, ADMIN);
    expect((await reserve(8)).status).toBe(201);
    const inserted = await insertions();
    expectRejected(await reserve(8), 429, 'RATE_LIMITED');
    expectRejected(await batch(8, '2000.01'), 429, 'RATE_LIMITED');
    // They are rejected before their rows are written.
    expect(await insertions()).toBe(inserted);
  });

  it('rejects the lines of a stream that are too many, and mints the others', async () => {
    for (let i = 0; i < 3; i++) expect((await ofThree.mint({ namingAuthority: '3002' }, ADMIN)).status).toBe(201);
    const results = await stream(
      ofThree,
      ['3002', '3003', '3002'].map((namingAuthority) => ({ namingAuthority })),
    );
    expect(results).toEqual([429, 201, 429]);
  });

  it('neither counts nor rejects what creates no identifier: repeated streams, existing identifiers and replays', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '32' });
    const items = Array.from({ length: 31 }, (_, i) => ({ metadataId: `hdl:20.9/quota-${i}` }));
    const key = { 'idempotency-key': 'quota' };
    const all = (status: number): number[] => items.map(() => status);
    expect(await stream(client, items, key)).toEqual(all(201));
    const single = { ...ADMIN, 'idempotency-key': 'single' };
    expect((await client.mint({}, single)).status).toBe(201);
    while ((await client.mint({}, ADMIN)).status === 201);
    for (let i = 0; i < 2; i++) {
      expect(await stream(client, items, key)).toEqual(all(201));
      expect(await stream(client, items)).toEqual(all(200));
      const replay = await client.mint({}, single);
      expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      expect((await client.mint(items[i], ADMIN)).status).toBe(200);
      expect((await client.mint({ ...items[i], onExisting: 'reject' }, ADMIN)).status).toBe(409);
      expect((await client.post('/identifiers/batch', { namingAuthority: '100.102', items }, ADMIN)).status).toBe(200);
    }
  });

  it('is used up by the new lines of a stream one by one, although its parts are stored together', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '600' });
    const startedAt = performance.now();
    const created = createdIn(
      await stream(
        client,
        Array.from({ length: 700 }, () => ({})),
      ),
    );
    expect(created).toBeGreaterThanOrEqual(600);
    expect(created).toBeLessThanOrEqual(600 + (performance.now() - startedAt) / 100);
  });

  it('is not used up while a batch runs that creates nothing', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '3000' });
    const metadataId = 'hdl:20.9/of-another';
    expect((await client.mint({ namingAuthority: '2000.01', metadataId }, ADMIN)).status).toBe(201);
    const items = [...Array.from({ length: 2000 }, () => ({})), { metadataId, onExisting: 'reject' }];
    const running = { batch: true };
    const batch = client
      .post('/identifiers/batch?mode=atomic', { namingAuthority: '2000.01', items }, ADMIN)
      .finally(() => (running.batch = false));
    const others = [];
    while (running.batch) others.push((await client.mint({ namingAuthority: '2000.01' }, ADMIN)).status);
    expect((await batch).body.code).toBe('BATCH_REFUSED');
    expect(others.length).toBeGreaterThan(3);
    expect(new Set(others)).toEqual(new Set([201]));
  });

  it('is not exceeded by concurrent batches, reservations, streams and mints', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '100' });
    const startedAt = performance.now();
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const own = { namingAuthority: '100.102' };
    const requests = Array.from({ length: 10 }, () => [
      client.post('/identifiers/batch', { ...own, count: 15 }, ADMIN).then(({ status }) => (status === 200 ? 15 : 0)),
      client
        .post('/reservations', { ...own, count: 15, leaseUntil }, ADMIN)
        .then(({ status }) => (status === 201 ? 15 : 0)),
      stream(
        client,
        Array.from({ length: 15 }, () => ({})),
      ).then(createdIn),
      ...Array.from({ length: 15 }, () => client.mint(own, ADMIN).then(({ status }) => createdIn([status]))),
    ]);
    const created = (await Promise.all(requests.flat())).reduce((sum, count) => sum + count, 0);
    expect(created).toBeGreaterThanOrEqual(86);
    expect(created).toBeLessThanOrEqual(100 + ((performance.now() - startedAt) * 100) / 60_000);
  });

  it('is on the responses to batches and reservations; their replays are not rejected', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '4' });

    const batch = { namingAuthority: '100.102', count: 3 };
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reservation = { namingAuthority: '2000.01', count: 3, leaseUntil };
    for (const [path, body, status] of [
      ['/identifiers/batch', batch, 200],
      ['/reservations', reservation, 201],
    ] as const) {
      const headers = { ...ADMIN, 'idempotency-key': path };
      const first = await client.post(path, body, headers);
      expect([first.status, listOf(first.headers.get('ratelimit'))['naming-authority']]).toMatchObject([
        status,
        { r: 1 },
      ]);
      const second = await client.post(path, body, ADMIN);
      expectRejected(second, 429, 'RATE_LIMITED');
      expect(listOf(second.headers.get('ratelimit'))['naming-authority']).toMatchObject({ r: 1 });
      const replay = await client.post(path, body, headers);
      expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([status, 'true']);
    }
    for (let i = 0; i < 6; i++) {
      const failed = await client.mint(
        { namingAuthority: '100.102', previousVersion: '100.102/' + '0'.repeat(32) },
        ADMIN,
      );
      expect(failed.status).toBe(422);
    }
  });

  it('of one naming authority is not used up by a batch that is rejected for another', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '3' });
    for (let i = 0; i < 3; i++) expect((await client.mint({ namingAuthority: '2000.01' }, ADMIN)).status).toBe(201);
    const items = ['100.102', '100.102', '100.102', '2000.01'].map((namingAuthority) => ({ namingAuthority }));
    expectRejected(await client.post('/identifiers/batch', { items }, ADMIN), 429, 'RATE_LIMITED');
    expect((await client.post('/identifiers/batch', { items: items.slice(0, 3) }, ADMIN)).status).toBe(200);
  });

  it('is not reset by requests with invented naming authorities', async () => {
    const namingAuthority = '3004';
    for (let i = 0; i < 3; i++) expect((await ofThree.mint({ namingAuthority }, ADMIN)).status).toBe(201);
    const items = Array.from({ length: 10_000 }, (_, i) => ({ namingAuthority: `666.${i}` }));
    expect((await ofThree.post('/identifiers/batch', { items }, ADMIN)).status).toBe(200);
    expectRejected(await ofThree.mint({ namingAuthority }, ADMIN), 429, 'RATE_LIMITED');
  });

  it('recovers after Retry-After, and rejected requests have minted nothing', async () => {
    const client = await start({ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: '30' });
    const request = { namingAuthority: '2000.01', target: 'https://repo.example.org/limited' };
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.mint(request, ADMIN)));
    const rejected = answers.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThan(0);
    const waits = rejected.map((answer) => expectRejected(answer, 429, 'RATE_LIMITED'));
    await pause(Math.max(...waits) * 1000);
    const after = await client.mint(request, ADMIN);
    expect(after.status).toBe(201);
    const found = await client.get(`/identifiers?target=${encodeURIComponent(request.target)}`, ADMIN);
    expect(found.body.items).toHaveLength(answers.length - rejected.length + 1);
  });
});
