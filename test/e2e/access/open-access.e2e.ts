import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const KEYS = { ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const service = useService({ ALLOWED_HOSTS: 'pid.localhost, [::1]', METRICS_PORT: '0' });

/** A service with keys on the same database. */
let keyed: TestServer;
beforeAll(async () => {
  keyed = await startServer({ DATABASE_URL: service.database.url, ...KEYS });
});
afterAll(async () => {
  await keyed.stop();
});

interface Sent {
  readonly status: number;
  readonly code: string | undefined;
}

/** Sends a request with exactly these headers; `fetch` sets Host itself. */
function send(
  host: string | undefined,
  { method = 'GET', path = '/identifiers', body, headers = {}, base = service.server.url }: Partial<Options> = {},
): Promise<Sent> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path,
        setHost: false,
        headers: { ...(host === undefined ? {} : { host }), ...headers },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') === true;
          const code = isProblem ? (JSON.parse(text) as { code: string }).code : undefined;
          resolve({ status: answer.statusCode ?? 0, code });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Options {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly base: string;
}

const ownHost = () => new URL(service.server.url).host;

describe('open access accepts requests for this machine and for ALLOWED_HOSTS only', () => {
  it.each([
    'localhost',
    'LOCALHOST:3000',
    'localhost:1',
    '127.0.0.1',
    '127.0.0.1:65535',
    '127.255.255.254:80',
    '[::1]',
    '[::1]:3000',
    'pid.localhost',
    'PID.localhost:8443',
  ])('accepts Host %s', async (host) => {
    expect(await send(host)).toEqual({ status: 200, code: undefined });
  });

  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    'localhost.',
    '127.0.0.1.evil.example',
    '128.0.0.1',
    '0.0.0.0',
    '10.0.0.1:3000',
    '[::]',
    '[::ffff:10.0.0.1]',
    'sub.pid.localhost',
    '[2001:db8::7]',
    'localhost@evil.example',
    'evil.example#localhost',
    'evil.example/localhost',
    'localhost evil.example',
    '',
  ])('rejects Host "%s" with 421', async (host) => {
    expect(await send(host)).toEqual({ status: 421, code: 'MISDIRECTED_REQUEST' });
  });

  it('compares the host of a request target in absolute form, which replaces Host (RFC 9112 3.2.2)', async () => {
    expect(await send('localhost', { path: 'http://evil.example/identifiers' })).toMatchObject({ status: 421 });
    expect(await send('localhost', { path: `http://${ownHost()}/identifiers` })).toMatchObject({ status: 200 });
  });

  it('rejects a rebound name everywhere: to read, to mint, to create a key, on other paths and for other methods', async () => {
    const json = { 'content-type': 'application/json' };
    const attempts: Partial<Options>[] = [
      { path: '/identifiers' },
      { path: '/events', headers: { accept: 'text/event-stream' } },
      { method: 'POST', headers: json, body: '{"namingAuthority":"100.102"}' },
      { method: 'POST', path: '/api-keys', headers: json, body: '{"client":"evil","scopes":["admin"]}' },
      { method: 'OPTIONS' },
      { method: 'DELETE' },
      ...['/nowhere', '/docs', '/openapi.json', '/problems', '/health/live', '/metrics'].map((path) => ({ path })),
    ];
    const before = await query(service.database.url, 'SELECT id FROM api_key UNION ALL SELECT NULL FROM identifier');
    for (const attempt of attempts) {
      expect([attempt, await send('evil.example', attempt)]).toEqual([
        attempt,
        { status: 421, code: 'MISDIRECTED_REQUEST' },
      ]);
    }
    const after = await query(service.database.url, 'SELECT id FROM api_key UNION ALL SELECT NULL FROM identifier');
    expect(after).toEqual(before);
  });

  it('rejects a rebound name on METRICS_PORT too', async () => {
    const base = /Metrics +(http\S+)\/metrics/.exec(service.server.stderr())?.[1] ?? '';
    expect(base).not.toBe(service.server.url);
    expect(await send('evil.example', { base, path: '/metrics' })).toMatchObject({ status: 421 });
    expect(await send('localhost', { base, path: '/metrics' })).toMatchObject({ status: 200 });
  });
});

describe('open access accepts pages of its own origin and of ALLOWED_HOSTS only', () => {
  it.each(['null', 'http://evil.example', 'https://localhost.evil.example', 'http://localhost:1', 'file://', 'x', ''])(
    'rejects Origin "%s" with 403',
    async (origin) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, code } = await send(ownHost(), { method, headers: { origin } });
        expect([method, status, code]).toEqual([method, 403, 'CROSS_SITE_REQUEST']);
      }
    },
  );

  it('accepts its own origin with either scheme, and a page of a configured host', async () => {
    const origins = [
      `http://${ownHost()}`,
      `https://${ownHost()}`,
      'https://pid.localhost',
      'https://pid.localhost:8443',
    ];
    for (const origin of origins) {
      expect([origin, (await send(ownHost(), { headers: { origin } })).status]).toEqual([origin, 200]);
    }
  });
});

describe('the log of a start', () => {
  it.each([
    ['open', () => service.server, 'Every program on this machine may write, without a key (ACCESS=open).'],
    [
      'keys',
      () => keyed,
      'Only clients with an API key may write (ACCESS=keys); everyone may read (PUBLIC_READ=true).',
    ],
  ])('says who may write under ACCESS=%s', (access, server, msg) => {
    const lines = server()
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"access"'))
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([expect.objectContaining({ level: 30, version: '0.1.0-beta.1', access, msg })]);
    expect(server().stderr()).toContain(msg);
    expect(server().stderr()).toContain('Mintmark 0.1.0-beta.1 is ready.');
  });
});

describe('ACCESS=keys', () => {
  it('is reached under any name, and by any page that has a key', async () => {
    const base = keyed.url;
    expect(await send('pid.example.com', { base })).toMatchObject({ status: 200 });
    expect(await send('pid.example.com', { base, headers: { origin: 'https://app.example.com' } })).toMatchObject({
      status: 200,
    });
  });
});

describe('a key that was created under open access', () => {
  let client: Client;
  let created: { id: string; secret: string; openAccess: boolean; confirmedAt: null; createdBy: string };

  beforeAll(async () => {
    const answer = await service.client.post('/api-keys', {
      client: 'foreign-page',
      namingAuthorities: null,
      scopes: ['admin'],
    });
    expect(answer.status).toBe(201);
    created = answer.body;
    client = new Client(keyed.url);
  });

  it('is marked, in its representation and in the database', async () => {
    expect(created).toMatchObject({ openAccess: true, confirmedAt: null, confirmedBy: null });
    const rows = await query(service.database.url, 'SELECT open_access FROM api_key WHERE id = $1', [created.id]);
    expect(rows).toEqual([{ open_access: true }]);
  });

  it('cannot be confirmed under open access', async () => {
    const answer = await service.client.post(`/api-keys/${created.id}/confirm`, {});
    expect(coded(answer)).toEqual([403, 'OPEN_ACCESS_FORBIDDEN']);
  });

  it('is rejected under ACCESS=keys, for itself and to confirm itself, until an administrator confirms it', async () => {
    const rejected = await client.mint({}, bearer(created.secret));
    expect(coded(rejected)).toEqual([401, 'UNAUTHENTICATED']);
    expect(rejected.body.detail).toContain(`/api-keys/${created.id}/confirm`);
    const itself = await client.post(`/api-keys/${created.id}/confirm`, {}, bearer(created.secret));
    expect(coded(itself)).toEqual([401, 'UNAUTHENTICATED']);

    const headers = { ...bearer(ADMIN_KEY), 'idempotency-key': 'confirm-once' };
    const confirmed = await client.post(`/api-keys/${created.id}/confirm`, {}, headers);
    expect(confirmed.status).toBe(200);
    expect(confirmed.body).toMatchObject({ id: created.id, openAccess: true, confirmedBy: 'admin' });
    expect(Date.parse(confirmed.body.confirmedAt)).toBeGreaterThan(Date.now() - 60_000);
    const again = await client.post(`/api-keys/${created.id}/confirm`, {}, headers);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', confirmed.body]);

    expect((await client.mint({}, bearer(created.secret))).status).toBe(201);
  });

  it('needs nothing of this when it was created under ACCESS=keys', async () => {
    const { body } = await client.post(
      '/api-keys',
      { client: 'library', namingAuthorities: null, scopes: ['mint'] },
      bearer(ADMIN_KEY),
    );
    expect(body).toMatchObject({ openAccess: false, confirmedAt: null, confirmedBy: null });
    expect((await client.mint({}, bearer(body.secret))).status).toBe(201);
    const confirmed = await client.post(`/api-keys/${body.id}/confirm`, {}, bearer(ADMIN_KEY));
    expect(confirmed.body).toMatchObject({ openAccess: false, confirmedAt: null, confirmedBy: null });
  });

  it('is not confirmed by a request for another one or with a body', async () => {
    const nowhere = await client.post('/api-keys/unknown/confirm', {}, bearer(ADMIN_KEY));
    expect(coded(nowhere)).toEqual([404, 'API_KEY_NOT_FOUND']);
    const withBody = await client.post(`/api-keys/${created.id}/confirm`, { confirmed: true }, bearer(ADMIN_KEY));
    expect(coded(withBody)).toEqual([400, 'INVALID_REQUEST']);
  });
});
