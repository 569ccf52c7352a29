import { describe, expect, it } from '@jest/globals';
import { ADMIN, Principal } from '../../src/access/principal.js';
import { type BatchCommand, BatchService } from '../../src/bulk/batch.service.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { authorityWith } from '../records.js';

const KNOWN = new NamingAuthoritySnapshot(
  [authorityWith(), authorityWith({ prefix: '100.103', state: 'suspended' })],
  DEFAULT_RESOLVER,
);
const BOUND = new Principal('client', null, ['mint'], [{ namingAuthority: '100.103', derived: false }]);

/** Sends a batch of one item. Its alternates are counted when they are read, and the database is not reached. */
async function send(namingAuthority: string, principal: Principal, more: Partial<BatchCommand> = {}, key?: string) {
  let reads = 0;
  const request = {
    namingAuthority,
    get alternateIds(): string[] {
      reads += 1;
      return ['info:fedora/demo:7'];
    },
  };
  const items = [{ clientRef: null, request, value: null }];
  const service = new BatchService(
    { knownFor: () => Promise.resolve(KNOWN) } as never,
    { runOnce: () => Promise.reject(new Error('the database is used')) } as never,
    {} as never,
    {} as never,
    {} as never,
    { run: (work: () => Promise<unknown>) => work() } as never,
  );
  const batch: BatchCommand = { namingAuthority: undefined, items, isCount: false, mode: 'atomic', ...more };
  const error: any = await service.mint(batch, { principal, idempotencyKey: key }).catch((thrown: unknown) => thrown);
  return [error.code ?? error.message, reads, ...(error.extensions?.errors ?? []).map((fault: any) => fault)];
}

describe('an atomic batch under a naming authority that cannot be used', () => {
  it.each([
    ['an unknown one', '100.999', ADMIN, 'UNKNOWN_NAMING_AUTHORITY'],
    ['a suspended one', '100.103', ADMIN, 'SUSPENDED_NAMING_AUTHORITY'],
    ['one that the key does not cover', '100.102', BOUND, 'NAMING_AUTHORITY_FORBIDDEN'],
  ])('is rejected before its names are parsed and the database is used: %s', async (_, prefix, principal, code) => {
    const fault = expect.objectContaining({ code, pointer: '/items/0/namingAuthority' });
    await expect(send(prefix, principal)).resolves.toEqual(['BATCH_REFUSED', 0, fault]);
  });

  it('is not rejected before its key is searched, where the first request may have been served', async () => {
    await expect(send('100.103', ADMIN, {}, 'k')).resolves.toEqual(['the database is used', 1]);
    await expect(send('100.999', ADMIN, {}, 'k')).resolves.toEqual(['BATCH_REFUSED', 0, expect.anything()]);
  });

  it('is not rejected as a whole in the mode "perItem"', async () => {
    await expect(send('100.999', ADMIN, { mode: 'perItem' })).resolves.toEqual(['the database is used', 1]);
  });
});
