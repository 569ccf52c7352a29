import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../harness/client.js';
import { type Exchanged, exchange } from '../harness/exchange.js';
import { ADMIN, rejections, useLimitedServices } from '../harness/limited-services.js';
import { connectTo } from '../harness/raw-http.js';

const TARGET = 'https://repo.example.org/objects/7';

/** A header that only the hooks of the framework read: its request is not answered directly. */
const BY_FRAMEWORK = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

/** Headers that differ between two equal requests. */
const VARYING = new Set(['x-request-id', 'date', 'expires', 'ratelimit']);

const services = useLimitedServices();
let [client, paths]: [Client, Record<string, string>] = [{} as Client, {}];

beforeAll(async () => {
  client = await services.start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '6000', INTERFACES: 'api,resolver,handles' });
  for (const caseInsensitive of [false, true]) {
    const namingAuthority = caseInsensitive ? '2050' : '2060';
    const settings = { namingAuthority, profile: 'handle', caseInsensitive };
    expect((await client.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
  }
  const minted = async (fields: object) => `/${(await client.mint(fields, ADMIN)).body.identifier}`;
  const withdrawn = await minted({ target: TARGET });
  expect((await client.post(`/identifiers${withdrawn}/withdraw`, { reason: 'Twice.' }, ADMIN)).status).toBe(200);
  const active = await minted({ target: TARGET });
  const storing = { namingAuthority: '2070', profile: 'handle', storesHandleValues: true };
  expect((await client.post('/naming-authorities', storing, ADMIN)).status).toBe(201);
  const values = JSON.stringify([
    { index: 3, type: 'DESC', data: 'é \u2028' },
    { index: 4, type: 'URL', data: TARGET, ttl: 60 },
  ]);
  const put = { method: 'PUT', headers: { ...ADMIN, 'content-type': 'application/json' }, body: values };
  expect((await exchange(client.base, '/api/handles/2070/values', put)).status).toBe(201);
  paths = {
    active,
    'lower case': active.toLowerCase(),
    bare: await minted({}),
    withdrawn,
    missing: `/100.102/${'0'.repeat(32)}`,
    'no GUID': '/100.102/x',
    'a name with slashes': await minted({
      namingAuthority: '2060',
      localName: "a/b;c=d,e:f@g!$&'()*+~",
      target: TARGET,
    }),
    'a target beyond ASCII': await minted({
      namingAuthority: '2060',
      localName: 'iri',
      target: 'https://repo.example.org/%C3%A9',
    }),
    'without case': (await minted({ namingAuthority: '2050', localName: 'Name', target: TARGET })).toUpperCase(),
    'another case': (await minted({ namingAuthority: '2060', localName: 'Name', target: TARGET })).toUpperCase(),
    'an unknown prefix': '/21.T14999/x',
    'stored values': '/2070/values',
  };
});

const kinds = [
  ...[
    'active',
    'lower case',
    'bare',
    'withdrawn',
    'missing',
    'no GUID',
    'a name with slashes',
    'a target beyond ASCII',
  ],
  ...['without case', 'another case', 'an unknown prefix', 'stored values'],
];

function comparable({ status, headers, text }: Exchanged) {
  const rest = Object.entries(headers).filter(([name]) => !VARYING.has(name));
  return { status, headers: Object.fromEntries(rest), names: Object.keys(headers).sort(), text };
}

describe.each([
  ['GET', ''],
  ['HEAD', ''],
  ['GET', '/api/handles'],
  ['HEAD', '/api/handles'],
])('%s of a plain name at %s/', (method, start) => {
  it.each(kinds)('has the response that the framework makes: %s', async (kind) => {
    const path = `${start}${paths[kind] ?? ''}`;
    const byFramework = comparable(await exchange(client.base, path, { method, headers: BY_FRAMEWORK }));
    // The second one is answered from memory.
    for (const _ of [1, 2]) {
      expect(comparable(await exchange(client.base, path, { method }))).toEqual(byFramework);
    }
  });
});

it('sends the ID of the request, and counts request, outcome and rate', async () => {
  const count = async (metric: RegExp) =>
    Number(metric.exec(await (await fetch(`${client.base}/metrics`, { headers: ADMIN })).text())?.[1] ?? 0);
  const requests = /http_request_duration_seconds_count\{method="GET",route="\/\{handle\}",status="302"\} (\d+)/;
  const redirects = /resolutions_total\{outcome="redirected"\} (\d+)/;
  const before = [await count(requests), await count(redirects)];
  const path = paths.active ?? '';
  const left = async (headers: Record<string, string>) => {
    const { headers: got } = await exchange(client.base, path, { headers });
    expect(got['x-request-id']).toBe('the-id.1');
    expect(got['ratelimit-policy']).toBe('"key";q=6000;w=60');
    return Number(/r=(\d+)/.exec(String(got.ratelimit))?.[1]);
  };
  const first = await left({ 'x-request-id': 'the-id.1', ...BY_FRAMEWORK });
  const second = await left({ 'x-request-id': 'the-id.1' });
  // 100 tokens arrive in a second.
  expect(second).toBeLessThan(first + 100);
  expect([await count(requests), await count(redirects)]).toEqual(before.map((value) => value + 2));
});

async function change(path: string, target: string | null): Promise<Answer> {
  const { headers } = await client.get(`/identifiers${path}`, ADMIN);
  const own = { ...ADMIN, 'content-type': 'application/merge-patch+json', 'if-match': headers.get('etag') ?? '' };
  return client.send('PATCH', `/identifiers${path}`, own, JSON.stringify({ target }));
}

it('shows each change of this process at once', async () => {
  const { body } = await client.mint({ target: TARGET }, ADMIN);
  const path = `/${body.identifier}`;
  for (const target of ['https://a.example/1', 'https://a.example/2', null]) {
    await exchange(client.base, path);
    expect((await change(path, target)).status).toBe(200);
    const { status, headers } = await exchange(client.base, path);
    expect([status, headers.location ?? null]).toEqual(target === null ? [200, null] : [302, target]);
  }
});

it('requires a key where reading does', async () => {
  const closed = await services.start({ PUBLIC_READ: 'false', INTERFACES: 'api,resolver' });
  const path = paths.active ?? '';
  expect((await exchange(closed.base, path)).status).toBe(401);
  expect((await exchange(closed.base, path, { headers: ADMIN })).headers.location).toBe(TARGET);
});

it('rejects other hosts under open access', async () => {
  const open = await services.start({ ACCESS: 'open', ADMIN_API_KEY: '' });
  const path = paths.active ?? '';
  for (const _ of [1, 2]) {
    expect((await exchange(open.base, path)).status).toBe(302);
    expect((await exchange(open.base, path, { headers: { host: 'rebound.example' } })).status).toBe(421);
  }
});

it('is limited by the address that a trusted proxy tells, together with the other requests of the address', async () => {
  const limited = await services.start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '4', TRUSTED_PROXIES: '127.0.0.1' });
  const path = paths.active ?? '';
  const from = (address: string, more = {}, at = path) =>
    exchange(limited.base, at, { headers: { 'x-forwarded-for': address, ...more } });
  const statuses = [];
  for (const more of [{}, BY_FRAMEWORK, {}, {}, {}, BY_FRAMEWORK]) {
    statuses.push((await from('192.0.2.1', more)).status);
  }
  expect(statuses).toEqual([302, 302, 302, 302, 429, 429]);
  expect((await from('192.0.2.2')).status).toBe(302);
  expect((await exchange(limited.base, path)).status).toBe(302);
  // Not answered directly, and counted once.
  const pages = [];
  for (let i = 0; i < 5; i++) pages.push((await from('192.0.2.3', {}, paths.bare)).status);
  expect(pages).toEqual([200, 200, 200, 200, 429]);
  expect(await rejections(limited, 'key_rate')).toBe(3);
});

it('answers requests of one connection in their order', async () => {
  const path = paths.active ?? '';
  const host = 'Host: localhost\r\n';
  const connection = await connectTo(client.base);
  connection.socket.write(
    [path, `${path}?noredirect`, path, paths.missing ?? '', path]
      .map((target, index, all) => {
        const close = index === all.length - 1 ? 'Connection: close\r\n' : '';
        return `GET ${target} HTTP/1.1\r\n${host}${close}\r\n`;
      })
      .join(''),
  );
  await connection.closed();
  const answers = connection.received();
  expect([...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)).toEqual([
    '302',
    '200',
    '302',
    '404',
    '302',
  ]);
});
