import { describe, expect, it } from '@jest/globals';
import { ndjson, sendChanges } from '../harness/changes.js';
import { exchange } from '../harness/exchange.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const GUID = '7E10C0FFEE5A4D0C8C0B1D2E3F405162';
const UUID = '7e10c0ff-ee5a-4d0c-8c0b-1d2e3f405162';
const pageOf = (path: string) => exchange(service.server.url, path, { headers: { accept: 'text/html' } });

describe('GET /identifiers/{guid}', () => {
  it('finds the only identifier that has the GUID, in any notation of the UUID, and then gives the choices', async () => {
    expect((await service.client.get(`/identifiers/${GUID}`)).body.code).toBe('IDENTIFIER_NOT_FOUND');
    const { body: minted } = await service.client.post('/identifiers', { namingAuthority: service.na, guid: GUID });
    for (const text of [GUID, GUID.toLowerCase(), UUID, `urn:uuid:${UUID}`]) {
      const { status, body, headers } = await service.client.get(`/identifiers/${text}`);
      expect([text, status, body.identifier]).toEqual([text, 200, minted.identifier]);
      expect(headers.get('etag')).not.toBeNull();
    }
    expect((await pageOf(`/identifiers/${GUID}`)).text).toContain(minted.identifier);

    const other = `${service.na}.3`;
    expect((await service.client.post('/naming-authorities', { namingAuthority: other })).status).toBe(201);
    expect((await service.client.post('/identifiers', { namingAuthority: other, guid: GUID })).status).toBe(201);
    const several = await service.client.get(`/identifiers/${UUID}`);
    expect([several.status, several.body]).toEqual([300, { candidates: [minted.identifier, `${other}/${GUID}`] }]);
    const choices = await pageOf(`/identifiers/${GUID}`);
    expect([choices.status, choices.headers['content-type']]).toEqual([300, 'text/html; charset=utf-8']);
    expect(choices.text).toContain(`href="/identifiers/${other}/${GUID}"`);
  });

  it('is the only operation that does: others say that the naming authority is missing, and a look-up finds it', async () => {
    const guid = GUID.replace('7E10', '7E12');
    const { body: minted } = await service.client.post('/identifiers', { namingAuthority: service.na, guid });
    const rejected = await Promise.all([
      service.client.get(`/identifiers/${guid}/history`),
      service.client.post(`/identifiers/${guid}/withdraw`, { reason: 'x' }),
    ]);
    const { lines } = await sendChanges(service.client, ndjson({ identifier: guid, target: null }));
    for (const { code, detail } of [...rejected.map(({ body }) => body), lines[0].problem]) {
      expect([code, detail]).toEqual(['IDENTIFIER_NOT_FOUND', expect.stringContaining('send NA/GUID')]);
    }
    const { body } = await service.client.post('/identifiers/lookup', { items: [guid] });
    expect(body.items[0].identifier).toBe(minted.identifier);
  });

  it('is 410 with the tombstone for a withdrawn one', async () => {
    const guid = GUID.replace('7E10', '7E11');
    const { body } = await service.client.post('/identifiers', { namingAuthority: service.na, guid });
    await service.client.post(`/identifiers/${body.identifier}/withdraw`, { reason: 'Twice.' });
    const gone = await service.client.get(`/identifiers/${guid}`);
    expect([gone.status, gone.body.identifier]).toEqual([410, body.identifier]);
  });
});
