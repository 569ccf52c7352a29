import { describe, expect, it } from '@jest/globals';
import { Principal } from '../../src/access/principal.js';
import { ApiKeysService } from '../../src/managing/api-keys.service.js';

const ID = '3f0c1a52-9d5b-4c7e-8a61-0f2b3c4d5e6f';

describe('the service of API keys', () => {
  // A permitted call would fail at the storage, which is missing.
  const service = new ApiKeysService({} as never, {} as never, {} as never, {} as never, {} as never);
  const grants = [{ namingAuthority: '100.102', derived: true }];
  const principal = new Principal('repository', ID, ['admin'], grants);
  const context = { principal, idempotencyKey: undefined };

  it.each<[string, () => Promise<unknown>]>([
    ['creates', () => service.create(context, { client: 'repository', scopes: ['admin'], namingAuthorities: null })],
    ['confirms', () => service.confirm(context, ID)],
    ['revokes', () => service.revoke(context, ID)],
    ['finds', () => service.find(ID, principal)],
    ['lists', () => service.page(principal, 50, undefined)],
  ])('%s none for a restricted principal', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'NAMING_AUTHORITY_FORBIDDEN' });
  });
});
