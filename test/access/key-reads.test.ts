import { describe, expect, it, jest } from '@jest/globals';
import { KeyCache } from '../../src/access/key-cache.js';
import { KeyReads } from '../../src/access/key-reads.js';
import { secretHash } from '../../src/access/key-secret.js';
import type { StoredKey } from '../../src/storage/api-key-store.js';
import type { Replica } from '../../src/database/replica/replica.js';

const DIGEST = secretHash('secret');
const KEY = { id: 'key', secretHash: DIGEST, scopes: ['mint'] } as unknown as StoredKey;

/** A primary that is away from the begin, and a replica with the key. */
function stores() {
  const state = { isAway: true, primaryReads: 0, replicaReads: 0 };
  const cache = new KeyCache({
    findByHash: () => {
      state.primaryReads += 1;
      return state.isAway ? Promise.reject(new Error('away')) : Promise.resolve(KEY);
    },
    find: () => Promise.resolve(null),
  });
  const replica = {
    isUsable: true,
    watch: { isPrimaryAway: false },
    query: () => {
      state.replicaReads += 1;
      return Promise.resolve({ rows: [KEY] });
    },
  };
  return { state, reads: new KeyReads(cache, replica as unknown as Replica) };
}

describe('the key of a request while the primary is away', () => {
  it('is that of the replica for a read, and is read once', async () => {
    const { state, reads } = stores();
    expect(await reads.findByDigest(DIGEST, true)).toMatchObject(KEY);
    expect(await reads.findByDigest(DIGEST, true)).toMatchObject(KEY);
    expect(state.replicaReads).toBe(1);
  });

  it('is not that of the replica for a write, also when a read had it', async () => {
    const { state, reads } = stores();
    await reads.findByDigest(DIGEST, true);
    await expect(reads.findByDigest(DIGEST, false)).rejects.toThrow('away');
    state.isAway = false;
    state.primaryReads = 0;
    expect(await reads.findByDigest(DIGEST, false)).toMatchObject(KEY);
    expect(state.primaryReads).toBe(1);
  });

  it('is read at the replica again after this process has revoked it', async () => {
    const { state, reads } = stores();
    await reads.findByDigest(DIGEST, true);
    reads.forget('another key');
    await reads.findByDigest(DIGEST, true);
    expect(state.replicaReads).toBe(1);
    reads.forget(KEY.id);
    await reads.findByDigest(DIGEST, true);
    expect(state.replicaReads).toBe(2);
  });
});

describe('a secret that was replaced in the database', () => {
  it('is rejected when the cache expires, although the key is read with its new secret', async () => {
    const replaced = secretHash('new secret');
    let stored = DIGEST;
    const cache = new KeyCache({
      findByHash: (digest) => Promise.resolve(digest === stored ? { ...KEY, secretHash: stored } : null),
      find: () => Promise.resolve(KEY),
    });
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    expect(await cache.findByDigest(DIGEST)).not.toBeNull();
    stored = replaced;
    clock.mockReturnValue(1500);
    await cache.findByDigest(replaced);
    clock.mockReturnValue(3000);
    expect(await cache.findByDigest(DIGEST)).toBeNull();
    clock.mockRestore();
  });
});
