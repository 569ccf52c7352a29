import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'gone-test-0123456789-abcdefghijkl';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY });

let path: string;

beforeAll(async () => {
  const { body } = await service.client.mint({ target: 'https://repo.example.org/7' }, ADMIN);
  path = `/identifiers/${body.identifier}`;
  const withdrawn = await service.client.post(`${path}/withdraw`, { reason: 'twice' }, { ...ADMIN, 'if-match': '*' });
  expect(withdrawn.status).toBe(200);
});

describe('a withdrawn identifier', () => {
  it('is 410 with its version, and with the record for a key that may curate it only', async () => {
    const readable = { client: 'reader', scopes: ['read'], namingAuthorities: null };
    const { secret } = (await service.client.post('/api-keys', readable, ADMIN)).body;
    for (const headers of [{}, { authorization: `Bearer ${secret as string}` }]) {
      const { status, body } = await service.client.get(path, headers);
      expect([status, body.version, body.record]).toEqual([410, 2, undefined]);
    }
    const { body } = await service.client.get(path, ADMIN);
    expect(body).toMatchObject({ version: 2, record: { state: 'withdrawn', target: 'https://repo.example.org/7' } });
  });

  it('is reinstated with the entity tag of this response, once', async () => {
    const etag = (await service.client.get(path, ADMIN)).headers.get('etag')!;
    const reinstate = () => service.client.post(`${path}/reinstate`, {}, { ...ADMIN, 'if-match': etag });
    expect((await reinstate()).body).toMatchObject({ state: 'active', version: 3 });
    expect((await reinstate()).body.code).toBe('WRONG_STATE');
  });
});
