import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'false' });

const keyFor = async (scopes: string[], namingAuthorities?: object[]) => {
  const bound = namingAuthorities === undefined ? {} : { namingAuthorities };
  const answer = await service.client.post(
    '/api-keys',
    { client: 'c', namingAuthorities: null, scopes, ...bound },
    ADMIN,
  );
  expect(answer.status).toBe(201);
  return { authorization: `Bearer ${answer.body.secret}` };
};
const create = (namingAuthority: string, headers: Record<string, string>) =>
  service.client.post('/naming-authorities', { namingAuthority }, headers);
const suspend = (prefix: string, headers: Record<string, string>) =>
  service.client.send(
    'PATCH',
    `/naming-authorities/${prefix}`,
    { 'content-type': 'application/json', 'if-match': '*', ...headers },
    '{"state":"suspended"}',
  );

beforeAll(async () => {
  for (const prefix of ['7', '7.1', '7.2', '8']) expect((await create(prefix, ADMIN)).status).toBe(201);
});

describe('who may do what with naming authorities', () => {
  it('only a key with the scope "admin" creates and changes them', async () => {
    const others = await keyFor(['read', 'mint', 'register', 'curate']);
    for (const answer of [await create('9', others), await suspend('8', others)]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'SCOPE_MISSING']);
    }
    expect([(await create('9', {})).status, (await suspend('8', {})).status]).toEqual([401, 401]);
  });

  it('a key that is bound to some sees those alone, relatives included', async () => {
    const bound = await keyFor(['read'], [{ namingAuthority: '7.1' }, { namingAuthority: '8' }]);
    const { items } = (await service.client.get('/naming-authorities', bound)).body;
    expect(items.map(({ namingAuthority }: { namingAuthority: string }) => namingAuthority)).toEqual(['7.1', '8']);
    const hidden = await service.client.get('/naming-authorities/7', bound);
    expect([hidden.status, hidden.body.code]).toEqual([404, 'NAMING_AUTHORITY_NOT_FOUND']);
    expect((await service.client.get('/naming-authorities/7.1', bound)).body.parent).toBeNull();
    const above = await keyFor(['read'], [{ namingAuthority: '7' }]);
    expect((await service.client.get('/naming-authorities/7', above)).body.children).toEqual([]);
  });

  it('an administrator of a prefix creates and changes what is derived from it, and nothing else', async () => {
    const bound = await keyFor(['admin'], [{ namingAuthority: '7', derived: true }]);
    expect((await create('7.3', bound)).body).toMatchObject({ namingAuthority: '7.3', parent: '7' });
    expect((await suspend('7.3', bound)).body.state).toBe('suspended');
    const other = await create('70', bound);
    expect([other.status, other.body.code]).toEqual([403, 'NAMING_AUTHORITY_FORBIDDEN']);
    expect((await suspend('8', bound)).status).toBe(404);
    expect((await service.client.get('/naming-authorities/8', ADMIN)).body.state).toBe('active');
  });
});
