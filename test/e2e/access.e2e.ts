import { describe, expect, it } from '@jest/globals';
import { useService } from './harness/service.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: KEY });

describe('ACCESS=keys', () => {
  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['the key under another scheme', { authorization: `Basic ${KEY}` }],
    ['the key with more behind it', { authorization: `Bearer ${KEY}x` }],
  ])('refuses %s with 401', async (_, headers: Record<string, string>) => {
    const answer = await service.client.mint({}, headers);
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each([
    '/identifiers',
    '/%69dentifiers',
    '/identifiers/100.102/x',
    '/identifiers/hdl%3A1%2F2/uris',
    '//identifiers',
  ])('lets nobody read %s without a key', async (path) => {
    const { status } = await service.client.get(path);
    expect([401, 404]).toContain(status);
  });

  it('normalizes nothing without a key', async () => {
    expect((await service.client.post('/normalize', { items: [{ input: 'x' }] })).status).toBe(401);
  });

  it('lets the key mint', async () => {
    const answer = await service.client.mint({}, { authorization: `Bearer ${KEY}` });
    expect(answer.status).toBe(201);
  });

  it.each(['/health/live', '/health/ready', '/problems/NOT_FOUND', '/openapi.json', '/docs'])(
    'shows %s to everyone',
    async (path) => {
      const answer = await fetch(service.server.url + path);
      expect(answer.status).toBe(200);
      await answer.text();
    },
  );

  it('keeps the key out of the log', () => {
    expect(service.server.stdout()).toContain('"status":201');
    expect(service.server.stdout()).not.toContain(KEY);
  });
});
