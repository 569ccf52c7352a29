import { describe, expect, it } from '@jest/globals';
import type { Replica } from '../../src/database/replica/replica.js';
import { Readers } from '../../src/storage/replica-readers.js';

/** Both servers, each with what it has. */
function servers(atReplica: string[] | null | Error, atPrimary: string[] | null | Error, isUsable = true) {
  const replica = { isUsable, reads: { replica: 0, primary: 0, fallback: 0 } };
  const readers = new Readers({ found: atPrimary }, replica as unknown as Replica, () => ({ found: atReplica }));
  const read = () =>
    readers.replicaFirst(({ found }) => (found instanceof Error ? Promise.reject(found) : Promise.resolve(found)));
  return { reads: replica.reads, read };
}

describe('a read at the replica first', () => {
  it.each<[string, string[] | null | Error, boolean, string[], string]>([
    ['has what the replica has', ['old'], true, ['old'], 'replica'],
    ['has what the primary has where the replica has no row', [], true, ['new'], 'fallback'],
    ['has what the primary has where the replica has no record', null, true, ['new'], 'fallback'],
    ['has what the primary has after an error of the replica', new Error('broken'), true, ['new'], 'fallback'],
    ['has what the primary has while the replica is left out', ['old'], false, ['new'], 'primary'],
  ])('%s, and counts it', async (_, atReplica, isUsable, found, server) => {
    const { reads, read } = servers(atReplica, ['new'], isUsable);
    expect(await read()).toEqual(found);
    expect(reads).toEqual({ replica: 0, primary: 0, fallback: 0, [server]: 1 });
  });

  it('finds nothing by the word of the primary only', async () => {
    expect(await servers(null, null).read()).toBeNull();
    await expect(servers(null, new Error('away')).read()).rejects.toThrow('away');
    await expect(servers(new Error('broken'), new Error('away')).read()).rejects.toThrow('away');
  });

  it('is at the primary without READ_DATABASE_URL', async () => {
    const readers = new Readers('primary', null, () => 'replica');
    expect(await readers.replicaFirst((at) => Promise.resolve(at))).toBe('primary');
    expect(await readers.primaryFirst((at) => Promise.resolve(at))).toBe('primary');
  });
});
