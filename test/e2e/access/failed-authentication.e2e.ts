import { describe, expect, it } from '@jest/globals';
import { newSecret } from '../../../src/access/key-secret.js';
import type { Client } from '../harness/client.js';
import {
  ADMIN,
  createKey,
  expectRefused,
  refusals,
  statuses,
  useLimitedServices,
} from '../harness/limited-services.js';

const MISSING = '/identifiers/100.102/00000000000000000000000000000001';
const LIMIT = { PUBLIC_READ: 'false', RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: '5' };

const { start } = useLimitedServices();

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const guess = (client: Client, headers = {}) => client.get(MISSING, { ...bearer(newSecret()), ...headers });

const many = async (count: number, send: () => ReturnType<typeof guess>) =>
  Promise.all(Array.from({ length: count }, send));

describe('requests without a valid key', () => {
  it('are refused with 429 when one address has sent too many, also when they come at once', async () => {
    const client = await start(LIMIT);
    const answers = await many(40, () => guess(client));
    expect(statuses(answers).filter((status) => status === 401)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 401)) expectRefused(answer, 429, 'RATE_LIMITED');
    for (const headers of [{}, bearer('nonsense'), { authorization: 'Basic eDp5' }]) {
      expectRefused(await client.get(MISSING, headers), 429, 'RATE_LIMITED');
    }
    expect(await refusals(client, 'unauthenticated')).toBe(38);
    expect((await client.get('/health/live')).status).toBe(200);
  });

  it('count every kind of failure: no key, a malformed one, the same one again, and a revoked one', async () => {
    const client = await start(LIMIT);
    const { body } = await client.post('/api-keys', { client: 'repository', scopes: ['read'] }, ADMIN);
    expect((await client.get(MISSING, bearer(body.secret))).status).toBe(404);
    expect((await client.send('DELETE', `/api-keys/${body.id}`, ADMIN)).status).toBeLessThan(300);
    const wrong = bearer(newSecret());
    for (const headers of [{}, bearer('nonsense'), wrong, wrong]) {
      expect((await client.get(MISSING, headers)).status).toBe(401);
    }
    // A revocation takes effect within two seconds.
    let last = await client.get(MISSING, bearer(body.secret));
    while (last.status === 404) last = await client.get(MISSING, bearer(body.secret));
    expect(last.status).toBe(401);
    expectRefused(await client.get(MISSING, bearer(body.secret)), 429, 'RATE_LIMITED');
  });

  it('count a key that was created under open access and is not confirmed', async () => {
    const open = await start({ ACCESS: 'open', ADMIN_API_KEY: '' });
    const { body } = await open.post('/api-keys', { client: 'repository', scopes: ['read'] });
    const client = await start(LIMIT);
    for (let i = 0; i < 5; i++) expect((await client.get(MISSING, bearer(body.secret))).status).toBe(401);
    expectRefused(await client.get(MISSING, bearer(body.secret)), 429, 'RATE_LIMITED');
  });

  it('affect no key at the same address that was valid before, nor the key of the configuration', async () => {
    const client = await start(LIMIT);
    const key = await createKey(client);
    expect((await client.get(MISSING, key)).status).toBe(404);
    expect(statuses(await many(20, () => guess(client)))).toContain(429);
    for (let i = 0; i < 20; i++) expect((await client.get(MISSING, key)).status).toBe(404);
    expect((await client.get(MISSING, ADMIN)).status).toBe(404);
  });

  it('are not counted for keys that turn out to be valid', async () => {
    const client = await start(LIMIT);
    for (let i = 0; i < 12; i++) expect((await client.get(MISSING, await createKey(client))).status).toBe(404);
  });

  it('are counted by the address of the client behind a trusted proxy', async () => {
    const client = await start({ ...LIMIT, TRUSTED_PROXIES: '127.0.0.0/8' });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect(statuses(await many(10, () => guess(client, from('192.0.2.1'))))).toContain(429);
    expect((await guess(client, from('192.0.2.2'))).status).toBe(401);
    const key = await createKey(client);
    expect((await client.get(MISSING, { ...key, ...from('192.0.2.2') })).status).toBe(404);
  });
});
