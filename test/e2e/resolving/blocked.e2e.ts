import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { ADMIN, useLimitedServices } from '../harness/limited-services.js';
import type { Client } from '../harness/client.js';

const services = useLimitedServices();

const TARGET = 'https://repo.example.org/objects/7';
const BLOCKED_BY_URL = 'https://repo.example.org/about?for=451';
const LINK = `<${BLOCKED_BY_URL}>; rel="blocked-by"`;
const LINKSET = 'application/linkset+json';
const PROBLEM = 'application/problem+json';

let client: Client;

const mint = async (fields: object = {}) => {
  const { status, body } = await client.mint({ target: TARGET, ...fields }, ADMIN);
  expect(status).toBe(201);
  return body.identifier as string;
};

const withdraw = async (identifier: string, fields: object) => {
  const body = { reason: 'A court order.', ...fields };
  expect((await client.post(`/identifiers/${identifier}/withdraw`, body, ADMIN)).status).toBe(200);
  return identifier;
};

const get = (target: string, headers: Record<string, string> = ADMIN, method = 'GET') =>
  exchange(client.base, target, { headers: { ...headers }, method });

describe('RFC 7725: an identifier that was withdrawn for a legal reason', () => {
  let [blocked, successor] = ['', ''];

  beforeAll(async () => {
    client = await services.start({ BLOCKED_BY_URL, INTERFACES: 'api,resolver,handles' });
    successor = await mint();
    blocked = await withdraw(await mint(), { reasonCode: 'legal', replacedBy: successor });
  });

  it.each([
    ['the problem of the REST API', '/identifiers/{}', '*/*', PROBLEM],
    ['the page of the REST API', '/identifiers/{}', 'text/html', 'text/html'],
    ['the REST API for a link set', '/identifiers/{}', LINKSET, PROBLEM],
    ['the problem of the resolver', '/{}', PROBLEM, PROBLEM],
    ['the page of the resolver', '/{}', 'text/html', 'text/html'],
    ['the page of the resolver with ?noredirect', '/{}?noredirect', '*/*', 'text/html'],
    ['the link set of the resolver', '/{}', LINKSET, LINKSET],
  ])('is 451 with rel="blocked-by": %s', async (_, path, accept, type) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await get(path.replace('{}', blocked), { accept }, method);
      expect([method, status, headers.location]).toEqual([method, 451, undefined]);
      expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
      expect(String(headers.link).startsWith(LINK)).toBe(true);
      expect(headers['cache-control']).toMatch(/^no-(store|cache)$/);
      if (type !== PROBLEM || method === 'HEAD') continue;
      expect(JSON.parse(text)).toMatchObject({
        status: 451,
        code: 'IDENTIFIER_BLOCKED',
        title: 'The identifier was withdrawn for a legal reason.',
        identifier: blocked,
        tombstone: { reasonCode: 'legal', replacedBy: `hdl:${successor}` },
      });
    }
  });

  it('has the link to its replacement too', async () => {
    const { headers } = await get(`/identifiers/${blocked}`);
    expect(headers.link).toBe(`${LINK}, </identifiers/${successor}>; rel="http://purl.org/dc/terms/isReplacedBy"`);
  });

  it('is 410 with code 100 for Handle clients, and null for the plug-in of DSpace', async () => {
    for (const path of [`/api/handles/${blocked}`, `/${blocked}?action=api`]) {
      const { status, headers, text } = await get(path);
      expect([path, status, JSON.parse(text).responseCode, headers.link]).toEqual([path, 410, 100, undefined]);
    }
    expect((await get(`/hdlresolver/resolve/${blocked}`)).text).toBe('null\n');
  });

  it('has no such link without the setting, and 410 has none with it', async () => {
    const plain = await services.start({});
    const { status, headers } = await exchange(plain.base, `/${blocked}`);
    expect([status, headers.link?.includes('blocked-by')]).toEqual([451, false]);
    const gone = await withdraw(await mint(), {});
    for (const path of [`/${gone}`, `/identifiers/${gone}`]) {
      const answer = await get(path);
      expect([answer.status, answer.headers.link?.includes('blocked-by') ?? false]).toEqual([410, false]);
    }
  });
});

describe('a duplicate, where reading needs a key', () => {
  it('leads only to what the key may see', async () => {
    const closed = await services.start({ PUBLIC_READ: 'false', INTERFACES: 'api,resolver' });
    const created = { client: 'reader', scopes: ['read'], namingAuthorities: [{ namingAuthority: '100.102' }] };
    const { secret } = (await client.post('/api-keys', created, ADMIN)).body;
    const hidden = await mint({ namingAuthority: '2000.01' });
    const [seen, hides] = [await mint(), await mint()];
    await withdraw(seen, { reasonCode: 'duplicate', replacedBy: await mint() });
    await withdraw(hides, { reasonCode: 'duplicate', replacedBy: hidden });
    const statusFor = async (name: string, headers: Record<string, string>) => {
      const { status, text } = await exchange(closed.base, `/${name}`, { headers: { ...headers, accept: PROBLEM } });
      return [status, status === 410 ? JSON.parse(text).identifier : null];
    };
    const reader = { authorization: `Bearer ${secret as string}` };
    expect(await statusFor(seen, reader)).toEqual([302, null]);
    expect(await statusFor(hides, ADMIN)).toEqual([302, null]);
    expect(await statusFor(hides, reader)).toEqual([410, hides]);
  });
});
