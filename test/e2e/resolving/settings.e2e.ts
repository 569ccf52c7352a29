import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { ADMIN, useLimitedServices } from '../harness/limited-services.js';
import { runToEnd } from '../harness/server.js';

const services = useLimitedServices();

const TARGET = 'https://repo.example.org/objects/7';
const MISSING = '0'.repeat(32);

async function minted(client: Awaited<ReturnType<typeof services.start>>): Promise<string> {
  const { status, body } = await client.mint({ target: TARGET }, ADMIN);
  expect(status).toBe(201);
  return `/${body.identifier}`;
}

describe('RESOLVER_UPSTREAM', () => {
  it('gets the names under prefixes of others, with the query', async () => {
    const client = await services.start({ RESOLVER_UPSTREAM: 'https://hdl.example.net/' });
    for (const [path, location] of [
      ['/21.T14999/a%20b', 'https://hdl.example.net/21.T14999/a%20b'],
      ['/21.T14999/x?noredirect&type=URL', 'https://hdl.example.net/21.T14999/x?noredirect&type=URL'],
      ['/21.T14999/a/b', 'https://hdl.example.net/21.T14999/a%2Fb'],
      ['/hdl:Foreign/x', 'https://hdl.example.net/Foreign/x'],
      ['/21.T14999/%0D%0Ax', null],
      ['/21.T14999/%2E%2E', null],
      ['/nowhere/x', null],
      [`/100.102/${MISSING}`, null],
    ] as const) {
      const { status, headers } = await exchange(client.base, path);
      expect([path, status, headers.location ?? null]).toEqual([path, location === null ? 404 : 303, location]);
    }
    const own = await exchange(client.base, '/21.T14999/x', { headers: { host: 'HDL.example.net' } });
    expect(own.status).toBe(404);
    expect((await exchange(client.base, await minted(client))).headers.location).toBe(TARGET);
  });

  it.each([{ RESOLVER_UPSTREAM: 'https://hdl.example.net/' }, { PUBLIC_READ: 'false', INTERFACES: 'resolver' }])(
    'does not hide a naming authority that another process has created: %j',
    async (variables) => {
      const other = await services.start({});
      const client = await services.start(variables);
      const namingAuthority = `7${Object.keys(variables).length}`;
      expect((await other.post('/naming-authorities', { namingAuthority, profile: 'handle' }, ADMIN)).status).toBe(201);
      expect((await other.mint({ namingAuthority, localName: 'x', target: TARGET }, ADMIN)).status).toBe(201);
      await pause(1100);
      const { headers } = await exchange(client.base, `/${namingAuthority}/x`, { headers: ADMIN });
      expect(headers.location).toBe(TARGET);
    },
  );

  it('redirects no path without a mark of a Handle where reading needs a key', async () => {
    const closed = { RESOLVER_UPSTREAM: 'https://hdl.example.net/', PUBLIC_READ: 'false', INTERFACES: 'api,resolver' };
    const client = await services.start(closed);
    expect((await exchange(client.base, '/nowhere/x', { headers: ADMIN })).status).toBe(404);
    const { status, headers } = await exchange(client.base, '/hdl%3A21.T14999%2Fa%2520b', { headers: ADMIN });
    expect([status, headers.location]).toEqual([303, 'https://hdl.example.net/21.T14999/a%20b']);
  });

  it.each([
    'hdl.handle.net',
    'ftp://hdl.handle.net/',
    'https://u:p@hdl.handle.net/',
    'https://hdl.handle.net/a/b',
    'https://h/?x',
  ])('%s is rejected at the start', async (url) => {
    const { code, stderr } = await runToEnd({ RESOLVER_UPSTREAM: url });
    expect(code).toBe(1);
    expect(stderr).toContain('RESOLVER_UPSTREAM');
  });
});

it('REDIRECT_MAX_AGE_SECONDS and REDIRECT_SHARED_MAX_AGE_SECONDS are the ages of redirects', async () => {
  const client = await services.start({ REDIRECT_MAX_AGE_SECONDS: '5', REDIRECT_SHARED_MAX_AGE_SECONDS: '700' });
  const path = await minted(client);
  // With a query the framework answers, and without one the answer is made before it.
  for (const target of [path, `${path}?urlappend=/more`]) {
    const { status, headers } = await exchange(client.base, target);
    expect([target, status, headers['cache-control']]).toEqual([target, 302, 'public, max-age=5, s-maxage=700']);
    expect((Date.parse(headers.expires ?? '') - Date.now()) / 1000).toBeLessThanOrEqual(5);
  }
});

describe('INTERFACES', () => {
  it('api alone has no resolver', async () => {
    const client = await services.start({ INTERFACES: 'api' });
    const path = await minted(client);
    const { status, text } = await exchange(client.base, path);
    expect([status, JSON.parse(text).code]).toEqual([404, 'NOT_FOUND']);
    expect((await exchange(client.base, '/', { method: 'POST' })).status).toBe(405);
  });

  it('resolver alone resolves, and has its form at /, health checks and metrics', async () => {
    const all = await services.start({});
    const path = await minted(all);
    const client = await services.start({ INTERFACES: 'resolver' });
    expect((await exchange(client.base, path)).headers.location).toBe(TARGET);
    const form = await exchange(client.base, '/');
    expect([form.status, form.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(form.text).toContain('name="hdl"');
    for (const [target, status] of [
      ['/identifiers', 404],
      ['/docs', 404],
      ['/health/ready', 200],
    ] as const) {
      expect([target, (await exchange(client.base, target)).status]).toEqual([target, status]);
    }
    expect((await exchange(client.base, '/metrics', { headers: ADMIN })).status).toBe(200);
  });

  it('with an unknown interface is rejected at the start', async () => {
    const { code, stderr } = await runToEnd({ INTERFACES: 'api,web' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('INTERFACES must be a comma-separated list of api, resolver'),
    ]);
  });
});

describe('PUBLIC_READ=false', () => {
  it('has no resolver, unless INTERFACES names it', async () => {
    const client = await services.start({ PUBLIC_READ: 'false' });
    const path = await minted(client);
    for (const headers of [{}, ADMIN]) {
      const { status, text } = await exchange(client.base, path, { headers });
      expect([status, JSON.parse(text).code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('resolves with the rights of the client, and does not tell which prefixes exist', async () => {
    const client = await services.start({ PUBLIC_READ: 'false', INTERFACES: 'api,resolver' });
    const path = await minted(client);
    const key = async (namingAuthority: string) => {
      const grants = [{ namingAuthority, derived: true }];
      const { body } = await client.post(
        '/api-keys',
        { client: 'c', scopes: ['read'], namingAuthorities: grants },
        ADMIN,
      );
      return { authorization: `Bearer ${body.secret}` };
    };
    const [own, other] = [await key('100.102'), await key('2000.01')];
    const found = await exchange(client.base, path, { headers: own });
    expect([found.status, found.headers.location]).toEqual([302, TARGET]);
    expect(found.headers['cache-control']).toMatch(/^private/);
    const appended = await exchange(client.base, `${path}?urlappend=/more`, { headers: own });
    expect(appended.headers.location).toBe(`${TARGET}/more`);
    expect(appended.headers['cache-control']).toMatch(/^private/);
    for (const target of [path, `/99.999/${MISSING}`, '/nowhere/x', '/100.102/%zz']) {
      expect([target, (await exchange(client.base, target)).status]).toEqual([target, 401]);
    }
    expect((await exchange(client.base, '/100.102')).status).toBe(404);
    const [hidden, missing] = await Promise.all(
      [path, `/99.999/${MISSING}`].map((target) => exchange(client.base, target, { headers: other })),
    );
    const problem = (answer: typeof hidden) => {
      const { instance: _instance, detail: _detail, ...rest } = JSON.parse(answer?.text ?? '');
      return [
        answer?.status,
        rest,
        { ...answer?.headers, 'x-request-id': '', 'content-length': '', ratelimit: '', date: '' },
      ];
    };
    expect(problem(hidden)).toEqual(problem(missing));
    expect(hidden?.status).toBe(404);
  });

  it('does not tell the resolvers of hidden naming authorities, nor their letters', async () => {
    const upstream = { RESOLVER_UPSTREAM: 'https://hdl.example.net/' };
    const client = await services.start({ PUBLIC_READ: 'false', INTERFACES: 'api,resolver', ...upstream });
    const path = await minted(client);
    const resolver = { scheme: 'https', authority: 'hidden.example.org', firstSegment: 'own' };
    const created = { namingAuthority: 'Hidden', profile: 'handle', resolver };
    expect((await client.post('/naming-authorities', created, ADMIN)).status).toBe(201);
    const grants = [{ namingAuthority: '100.102' }];
    const requested = { client: 'c', scopes: ['read'], namingAuthorities: grants };
    const { body } = await client.post('/api-keys', requested, ADMIN);
    const headers = { authorization: `Bearer ${body.secret}` };
    const ask = async (target: string) => {
      const { status, headers: sent } = await exchange(client.base, target, { headers });
      return [status, sent.location];
    };
    for (const [hidden, unknown] of [
      [`/own${path}`, `/unknown${path}`],
      ['/own/Foreign/x', '/unknown/Foreign/x'],
      [`/https:/hidden.example.org${path}`, `/https:/unknown.example.org${path}`],
      [`/https:/hidden.example.org/own${path}`, `/https:/unknown.example.org/own${path}`],
      ['/Hidden/x', '/Unknown/x'],
    ] as const) {
      expect([hidden, await ask(hidden)]).toEqual([hidden, await ask(unknown)]);
      expect((await ask(hidden))[0]).toBe(404);
    }
    expect((await exchange(client.base, `/own${path}`, { headers: ADMIN })).headers.location).toBe(TARGET);
    expect(await ask(`/hdl:${path.slice(1)}`)).toEqual([302, TARGET]);
  });
});

describe('two processes', () => {
  it('one resolves under a naming authority of the other within a second, and paths of nobody stay 404', async () => {
    const [one, other] = [await services.start({}), await services.start({})];
    await exchange(other.base, '/Fresh/x');
    const created = await one.post('/naming-authorities', { namingAuthority: 'Fresh', profile: 'handle' }, ADMIN);
    expect(created.status).toBe(201);
    await one.mint({ namingAuthority: 'Fresh', localName: 'x', target: TARGET }, ADMIN);
    await pause(1100);
    const { status, text, headers } = await exchange(other.base, '/Stale/x');
    expect([status, JSON.parse(text).code, headers['access-control-allow-origin']]).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
    await pause(1100);
    const post = await exchange(other.base, '/Stale/x', { method: 'PUT' });
    expect(post.status).toBe(404);
    await pause(1100);
    expect((await exchange(other.base, '/Fresh/x')).headers.location).toBe(TARGET);
  });
});

describe('limits', () => {
  it('are those of the address, also for unknown names and paths of nobody', async () => {
    const client = await services.start({ RATE_LIMIT_PER_KEY_PER_MINUTE: '5' });
    const statuses = [];
    for (const path of [
      `/100.102/${MISSING}`,
      `/100.102/${MISSING}`,
      '/nowhere/x',
      '/100.102/x',
      '/',
      '/100.102/x',
      '/nowhere/x',
    ]) {
      statuses.push((await exchange(client.base, path)).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 200, 429, 429]);
  });
});
