import { expect } from '@jest/globals';
import { expectListed, list } from './read-commands.js';
import { type Entry, FAR_LEASE, type Registry, identifierOf } from './registry.js';
import { type Real, expectResolved } from './real.js';

/** After a run, all identifiers equal the model, and each history leads to the current attributes. */
export async function expectEqual(registry: Registry, real: Real): Promise<void> {
  for (const namingAuthority of registry.names.authorities) {
    const entries = registry.entries.filter((entry) => entry.namingAuthority === namingAuthority);
    expectListed(await list(real, { namingAuthority, limit: '4' }), entries, registry);
  }
  await Promise.all(
    registry.entries.map(async (entry) => {
      expectResolved(await real.client.get(`/identifiers/${identifierOf(entry)}`), entry, registry);
      await expectHistory(entry, real);
    }),
  );
}

async function expectHistory(entry: Entry, real: Real): Promise<void> {
  const { status, body } = await real.client.get(`/identifiers/${identifierOf(entry)}/history?limit=100`);
  expect(status).toBe(200);
  const changes = body.items as { version: number; kind: string; patch: { op: string; path: string; value: any }[] }[];
  expect(changes.map(({ version, kind }) => [version, kind])).toEqual(
    entry.kinds.map((kind, index) => [index + 1, kind]),
  );
  const document: Record<string, unknown> = {};
  for (const { path, value } of changes.flatMap(({ patch }) => patch)) {
    Object.assign(document, path === '' ? value : { [path.slice(1)]: value });
  }
  const { metadataId, target, alternateIds, state, tombstone } = entry;
  expect(document).toEqual({
    metadataId,
    target,
    language: null,
    alternateIds,
    previousVersion: null,
    handleValues: null,
    state,
    leaseUntil: state === 'reserved' ? FAR_LEASE : null,
    tombstone: tombstone === null ? null : { ...tombstone, withdrawnAt: expect.any(String) },
  });
}
