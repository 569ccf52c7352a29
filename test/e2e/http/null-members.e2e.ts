import { describe, expect, it } from '@jest/globals';
import { linesIn } from '../harness/changes.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const NULLS = {
  ...{ metadataId: null, mintMetadataId: null, target: null, alternateIds: null, previousVersion: null, guid: null },
  ...{ localName: null, state: null, leaseUntil: null, onExisting: null },
};

describe('null in the body of a POST', () => {
  it('is an absent member of a mint, also for its Idempotency-Key', async () => {
    const key = { 'idempotency-key': `null-${service.na}` };
    const minted = await service.client.mint(NULLS, key);
    expect(minted.status).toBe(201);
    expect(minted.body).toMatchObject({ metadataId: null, target: null, alternateIds: [], state: 'active' });
    const again = await service.client.mint({}, key);
    expect([again.status, again.body.identifier]).toEqual([201, minted.body.identifier]);
  });

  it('is one in batches and streams', async () => {
    const items = [{ ...NULLS, clientRef: null, namingAuthority: null }];
    const request = { namingAuthority: service.na, count: null, items };
    const { body } = await service.client.post('/identifiers/batch', request);
    expect(body.items.map(({ status }: any) => status)).toEqual([201]);
    const answer = await fetch(`${service.server.url}/identifiers/bulk?namingAuthority=${service.na}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: JSON.stringify(items[0]) },
    });
    expect(linesIn(await answer.text()).map(({ status }) => status)).toEqual([201]);
  });

  it('is one of every other POST', async () => {
    const { identifier } = (await service.client.mint()).body;
    const reservation = { namingAuthority: service.na, count: 1, leaseUntil: '2126-01-01T00:00:00Z' };
    const { id } = (await service.client.post('/reservations', reservation)).body;
    const authority = { profile: null, caseInsensitive: null, storesHandleValues: null, sandbox: null, state: null };
    const normalized = { input: 'x', kind: null, context: { syntax: null, charset: null, equalTo: null } };
    for (const [path, body, status] of [
      [`/identifiers/${identifier}/withdraw`, { reason: 'Twice.', replacedBy: null }, 200],
      [`/reservations/${id}/release`, { items: null }, 200],
      ['/naming-authorities', { namingAuthority: `${service.na}.1`, uuidVersion: null, ...authority }, 201],
      ['/normalize', { items: [normalized, { input: 'x', context: null }] }, 200],
    ] as const) {
      const answer = await service.client.post(path, body, { 'if-match': '*' });
      expect([path, answer.status, answer.body.errors]).toEqual([path, status, undefined]);
    }
  });

  it('removes a value only where the line of a stream of changes says so', async () => {
    const { identifier } = (await service.client.mint({ target: 'https://repo.example.org/1' })).body;
    const nulls = { clientRef: null, withdraw: null, reinstate: null, activate: null, ifVersion: null };
    const answer = await fetch(`${service.server.url}/identifiers/changes`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/x-ndjson' } },
      body: JSON.stringify({ identifier, target: null, ...nulls }),
    });
    expect(linesIn(await answer.text())).toMatchObject([{ status: 200, outcome: 'changed', record: { target: null } }]);
  });

  it('removes values in an activation, and is an absent metadataTarget', async () => {
    const values = { metadataId: freshMetadataId(), alternateIds: [freshPid()], target: 'https://repo.example.org/1' };
    const reserved = await service.client.mint({ ...values, state: 'reserved', leaseUntil: '2126-01-01T00:00:00Z' });
    const path = `/identifiers/${reserved.body.identifier}/activate`;
    const nulls = { metadataId: null, alternateIds: null, target: null, metadataTarget: null };
    const { status, body } = await service.client.post(path, nulls);
    const left = { state: 'active', metadataId: null, alternateIds: [], target: null };
    expect([status, body]).toEqual([200, expect.objectContaining(left)]);
  });

  it('removes the alternates in a PATCH, and is 400 for a member that is required', async () => {
    expect((await service.client.mint({ namingAuthority: null })).body.errors[0].pointer).toBe('/namingAuthority');
    const { identifier } = (await service.client.mint({ alternateIds: [freshPid()] })).body;
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const path = `/identifiers/${identifier}`;
    const patched = await service.client.send('PATCH', path, headers, '{"alternateIds":null}');
    expect([patched.status, patched.body.alternateIds, patched.body.version]).toEqual([200, [], 2]);
  });
});
