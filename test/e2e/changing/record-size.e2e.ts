import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ndjson, sendChanges } from '../harness/changes.js';
import { coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { query } from '../harness/database.js';
import { freshGuid, freshMetadataId } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { minted, patch, step } = curationOf(service);

const TOO_LARGE = [422, 'RECORD_TOO_LARGE'];
const TARGET = `https://repo.example.org/${'t'.repeat(1900)}`;

/** Alternates of 4,000 bytes each. */
const alternates = (count: number) =>
  Array.from({ length: count }, () => `hdl:10.1234/${randomUUID()}${'a'.repeat(4000 - 12 - 36)}`);

/** A record of 90 alternates of 8,000 bytes, as earlier versions accepted it. */
async function older(): Promise<string> {
  const guid = freshGuid();
  await query(
    service.database.url,
    `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event, alternate_ids)
     SELECT id, '${guid}', 'anonymous', 2, true, array_fill('demo:' || repeat('a', 7995), ARRAY[90])
     FROM naming_authority WHERE prefix = '${service.na}'`,
  );
  return `${service.na}/${guid}`;
}

describe('a record of more than 64 KiB', () => {
  it('is not minted, alone or in a batch', async () => {
    expect(coded(await service.client.mint({ alternateIds: alternates(17) }))).toEqual(TOO_LARGE);
    const items = [{ alternateIds: alternates(16) }, { alternateIds: alternates(17) }];
    const { body } = await service.client.post('/identifiers/batch', { namingAuthority: service.na, items });
    expect(body.items.map(({ status, problem }: any) => [status, problem?.code])).toEqual([
      [201, undefined],
      TOO_LARGE,
    ]);
  });

  it('is not made by a change, an activation, or a mint that updates it', async () => {
    const metadataId = freshMetadataId();
    const { identifier } = await minted({ metadataId, alternateIds: alternates(16) });
    expect(coded(await patch(pathOf(identifier), { alternateIds: alternates(17) }))).toEqual(TOO_LARGE);
    const update = { metadataId, alternateIds: alternates(17), onExisting: 'update' };
    expect(coded(await service.client.mint(update))).toEqual(TOO_LARGE);
    const { lines } = await sendChanges(service.client, ndjson({ identifier, target: TARGET }));
    expect([lines[0].status, lines[0].problem?.code]).toEqual(TOO_LARGE);
    expect((await service.client.get(pathOf(identifier))).body.version).toBe(1);
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reserved = await minted({ state: 'reserved', leaseUntil });
    const activation = { alternateIds: alternates(17) };
    expect(coded(await step(pathOf(reserved.identifier), 'activate', activation))).toEqual(TOO_LARGE);
  });

  it('changes its state and shrinks, if it is an older one, but does not grow', async () => {
    const path = pathOf(await older());
    expect(coded(await patch(path, { target: TARGET }))).toEqual(TOO_LARGE);
    expect((await step(path, 'withdraw', { reason: 'Test.' })).status).toBe(200);
    expect((await step(path, 'reinstate', {})).status).toBe(200);
    expect((await patch(path, { alternateIds: alternates(40) })).status).toBe(200);
  });
});
