import { describe, expect, it } from '@jest/globals';
import { Authenticator } from '../../src/access/authenticator.js';
import { KeyCache } from '../../src/access/key-cache.js';
import { KeyReads, KeyValidity } from '../../src/access/key-reads.js';
import { newSecret, secretHash } from '../../src/access/key-secret.js';
import type { ApiKey, ApiKeyStore } from '../../src/storage/api-key-store.js';

const readsOf = (cache: KeyCache) => new KeyReads(cache, null);

/** Stored keys, with a count of look-ups. */
function stored(...secrets: readonly string[]) {
  const lookUps: string[] = [];
  const keys = {
    findByHash: (hash: Buffer): Promise<ApiKey | null> => {
      const secret = secrets.find((each) => secretHash(each).equals(hash));
      lookUps.push(secret ?? 'unknown');
      if (secret === undefined) return Promise.resolve(null);
      const key = { id: secret, client: 'c', scopes: ['read'], grants: null, secretHash: hash };
      return Promise.resolve({ ...key, revokedAt: null, expiresAt: null } as unknown as ApiKey);
    },
    find: (id: string): Promise<ApiKey | null> => {
      lookUps.push(id);
      return Promise.resolve({ id, client: 'c', revokedAt: null, expiresAt: null } as unknown as ApiKey);
    },
    touch: () => Promise.resolve(),
  } as unknown as ApiKeyStore;
  const cache = new KeyCache(keys);
  return { lookUps, cache, validity: new KeyValidity(cache), authenticator: new Authenticator(readsOf(cache), keys) };
}

describe('the look-up of a secret', () => {
  it('happens once for concurrent requests, and for successive ones if the key exists', async () => {
    const secret = newSecret();
    const { authenticator, lookUps } = stored(secret);
    const wrong = newSecret();
    for (let round = 0; round < 2; round++) {
      const principals = await Promise.all(
        [secret, secret, wrong, wrong].map((each) => authenticator.authenticate(each)),
      );
      expect(principals.map((principal) => principal?.keyId)).toEqual([secret, secret, undefined, undefined]);
    }
    expect(lookUps.sort()).toEqual([secret, 'unknown', 'unknown'].sort());
  });

  it('is not repeated for a key after ten thousand and more wrong secrets', async () => {
    const secret = newSecret();
    const { authenticator, lookUps } = stored(secret);
    const started = performance.now();
    await authenticator.authenticate(secret);
    await Promise.all(Array.from({ length: 10_500 }, () => authenticator.authenticate(newSecret())));
    expect(authenticator.recognizes(secret)).toBe(true);
    await authenticator.authenticate(secret);
    // A key is read again after two seconds, which this test can take on a slow machine.
    const most = 1 + Math.floor((performance.now() - started) / 2000);
    expect(lookUps.filter((each) => each === secret).length).toBeLessThanOrEqual(most);
    expect(lookUps).toContain('unknown');
  });

  it('that failed is repeated by the next request', async () => {
    let isBroken = true;
    const keys = {
      findByHash: () => (isBroken ? Promise.reject(new Error('no connection')) : Promise.resolve(null)),
    } as unknown as ApiKeyStore;
    const authenticator = new Authenticator(readsOf(new KeyCache(keys)), keys);
    const secret = newSecret();
    await expect(authenticator.authenticate(secret)).rejects.toThrow('no connection');
    isBroken = false;
    expect(await authenticator.authenticate(secret)).toBeNull();
  });

  it('serves the check of the same key during its response, and the other way round', async () => {
    const secret = newSecret();
    const { authenticator, validity, lookUps } = stored(secret);
    const principal = (await authenticator.authenticate(secret))!;
    await Promise.all([validity.require(principal), validity.require(principal)]);
    await authenticator.authenticate(secret);
    expect(lookUps).toEqual([secret]);
  });

  it('is repeated after this process has changed the key, also for a read that had begun before', async () => {
    const secret = newSecret();
    const { authenticator, cache, lookUps } = stored(secret);
    const reading = authenticator.authenticate(secret);
    cache.forget(secret);
    await reading;
    await authenticator.authenticate(secret);
    cache.forget(secret);
    await authenticator.authenticate(secret);
    expect(lookUps).toEqual([secret, secret, secret]);
  });
});
