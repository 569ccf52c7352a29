import { expect } from '@jest/globals';
import { expectListed, list } from './read-steps.js';
import { type Entry, FAR_LEASE, type Registry, identifierOf } from './registry.js';
import { type World, expectResolved } from './world.js';

/** After a run, everything there is equals the model, and each identifier's history tells how it came to be so. */
export async function expectEqual(registry: Registry, world: World): Promise<void> {
  for (const namingAuthority of registry.names.authorities) {
    const entries = registry.entries.filter((entry) => entry.namingAuthority === namingAuthority);
    expectListed(await list(world, { namingAuthority, limit: '4' }), entries, registry);
  }
  await Promise.all(
    registry.entries.map(async (entry) => {
      expectResolved(await world.client.get(`/identifiers/${identifierOf(entry)}`), entry, registry);
      await expectRemembered(entry, world);
    }),
  );
}

async function expectRemembered(entry: Entry, world: World): Promise<void> {
  const { status, body } = await world.client.get(`/identifiers/${identifierOf(entry)}/history?limit=100`);
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
    alternateIds,
    state,
    leaseUntil: state === 'reserved' ? FAR_LEASE : null,
    tombstone: tombstone === null ? null : { ...tombstone, withdrawnAt: expect.any(String) },
  });
}
