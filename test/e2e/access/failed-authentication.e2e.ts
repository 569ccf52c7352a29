import { beforeAll, describe, expect, it } from '@jest/globals';
import { newSecret } from '../../../src/access/key-secret.js';
import type { Client } from '../harness/client.js';
import {
  ADMIN,
  createKey,
  expectRejected,
  rejections,
  statuses,
  useLimitedServices,
} from '../harness/limited-services.js';

const MISSING = '/identifiers/100.102/00000000000000000000000000000001';
const LIMIT = { PUBLIC_READ: 'false', RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: '5' };

const { start } = useLimitedServices();

/** A service that sees each test at an address of its own, by a trusted proxy. */
let proxied: Client;
const from = (address: string) => ({ 'x-forwarded-for': address });

beforeAll(async () => {
  proxied = await start({ ...LIMIT, TRUSTED_PROXIES: '127.0.0.0/8' });
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const guess = (client: Client, headers = {}) => client.get(MISSING, { ...bearer(newSecret()), ...headers });

const many = async (count: number, send: () => ReturnType<typeof guess>) =>
  Promise.all(Array.from({ length: count }, send));

describe('requests without a valid key', () => {
  it('are rejected with 429 when one address has sent too many, also when they come at once', async () => {
    const client = await start(LIMIT);
    const answers = await many(40, () => guess(client));
    expect(statuses(answers).filter((status) => status === 401)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 401)) expectRejected(answer, 429, 'RATE_LIMITED');
    for (const headers of [{}, bearer('nonsense'), { authorization: 'Basic eDp5' }]) {
      expectRejected(await client.get(MISSING, headers), 429, 'RATE_LIMITED');
    }
    expect(await rejections(client, 'unauthenticated')).toBe(38);
    expect((await client.get('/health/live')).status).toBe(200);
  });

  it('count every kind of failure: no key, a malformed one, the same one again, and a revoked one', async () => {
    const get = (headers: Record<string, string>) => proxied.get(MISSING, { ...headers, ...from('192.0.2.11') });
    const { body } = await proxied.post(
      '/api-keys',
      { client: 'repository', namingAuthorities: null, scopes: ['read'] },
      ADMIN,
    );
    expect((await get(bearer(body.secret))).status).toBe(404);
    expect((await proxied.send('DELETE', `/api-keys/${body.id}`, ADMIN)).status).toBe(204);
    const wrong = bearer(newSecret());
    for (const headers of [{}, bearer('nonsense'), wrong, wrong, bearer(body.secret)]) {
      expect((await get(headers)).status).toBe(401);
    }
    expectRejected(await get(bearer(body.secret)), 429, 'RATE_LIMITED');
  });

  it('count a key that was created under open access and is not confirmed', async () => {
    const open = await start({ ACCESS: 'open', ADMIN_API_KEY: '' });
    const { body } = await open.post('/api-keys', { client: 'repository', namingAuthorities: null, scopes: ['read'] });
    const headers = { ...bearer(body.secret), ...from('192.0.2.12') };
    for (let i = 0; i < 5; i++) expect((await proxied.get(MISSING, headers)).status).toBe(401);
    expectRejected(await proxied.get(MISSING, headers), 429, 'RATE_LIMITED');
  });

  it('affect no key at the same address that was valid before, nor the key of the configuration', async () => {
    const here = from('192.0.2.13');
    const key = { ...(await createKey(proxied)), ...here };
    expect((await proxied.get(MISSING, key)).status).toBe(404);
    expect(statuses(await many(20, () => guess(proxied, here)))).toContain(429);
    for (let i = 0; i < 20; i++) expect((await proxied.get(MISSING, key)).status).toBe(404);
    expect((await proxied.get(MISSING, { ...ADMIN, ...here })).status).toBe(404);
  });

  it('are not counted for keys that turn out to be valid', async () => {
    for (let i = 0; i < 12; i++) {
      const headers = { ...(await createKey(proxied)), ...from('192.0.2.14') };
      expect((await proxied.get(MISSING, headers)).status).toBe(404);
    }
  });

  it('are counted by the address of the client behind a trusted proxy', async () => {
    expect(statuses(await many(10, () => guess(proxied, from('192.0.2.1'))))).toContain(429);
    expect((await guess(proxied, from('192.0.2.2'))).status).toBe(401);
    const key = await createKey(proxied);
    expect((await proxied.get(MISSING, { ...key, ...from('192.0.2.2') })).status).toBe(404);
  });
});
