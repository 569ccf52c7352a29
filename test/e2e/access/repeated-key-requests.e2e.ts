import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const service = useService();

const create = (fields: object, key: string) =>
  service.client.post(
    '/api-keys',
    { client: 'repository', namingAuthorities: null, scopes: ['read'], ...fields },
    { 'idempotency-key': key },
  );

describe('a repeat with the Idempotency-Key', () => {
  it('of a key that has expired since returns that key', async () => {
    let until = 0;
    const createFor = (ms: number) => {
      until = Date.now() + ms;
      return create({ expiresAt: new Date(until).toISOString() }, 'ends');
    };
    let first = await createFor(1000);
    // A machine that stands still may receive the request too late; a rejection leaves its key unused.
    for (let ms = 2000; first.status === 400 && ms < 30_000; ms *= 2) first = await createFor(ms);
    const expiresAt = new Date(until).toISOString();
    expect(first.status).toBe(201);
    await pause(until + 100 - Date.now());
    const again = await create({ expiresAt }, 'ends');
    expect([again.status, again.body]).toEqual([201, { ...first.body, secret: null }]);
    expect((await create({ expiresAt }, 'another')).body.code).toBe('INVALID_REQUEST');
  });

  it('in another form is the same request', async () => {
    const first = await create(
      { expiresAt: '2126-01-01T00:00:00Z', namingAuthorities: [{ namingAuthority: '1' }] },
      's',
    );
    const again = await create(
      { namingAuthorities: [{ derived: false, namingAuthority: '1' }], expiresAt: '2126-01-01T01:00:00.0+01:00' },
      's',
    );
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
  });

  it('of a revocation that was rejected is not a replay: a rejection leaves its key unused', async () => {
    const { body } = await create({}, 'revoked');
    const revoke = (id: string) => service.client.send('DELETE', `/api-keys/${id}`, { 'idempotency-key': 'revoke' });
    expect((await revoke('nobody')).body.code).toBe('API_KEY_NOT_FOUND');
    const answer = await revoke(body.id);
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([204, null]);
  });
});
