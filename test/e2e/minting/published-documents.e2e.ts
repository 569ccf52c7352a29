import { describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const service = useService();

/** The two published CORDRA documents and the identifiers of their metadata records, as printed on their title pages. */
const DOCUMENTS = [
  ['2000.01/FFEE9F72B00C4189B137ECD34188B94E', '2000.01/A3D8BE7457C943FFB66ED4583059A8BA'],
  ['2000.01/EEF4DF17361A42E2B975E554663B70C3', '2000.01/F4FBE5D290194191AAD3A1EFE79D6C5A'],
] as const;

describe('the identifiers of the published CORDRA documents', () => {
  it.each(DOCUMENTS)('%s is registered as it is', async (identifier, metadataId) => {
    const [namingAuthority, guid] = identifier.split('/');
    const registered = await service.client.post('/identifiers', { namingAuthority, guid, metadataId });
    expect(registered.status).toBe(201);
    expect(registered.body).toMatchObject({ identifier, metadataId: `hdl:${metadataId}` });
  });

  it.each(DOCUMENTS)('%s is found from its metadata ID, and by its URIs', async (identifier, metadataId) => {
    const found = await service.client.get(`/identifiers?metadataId=${encodeURIComponent(metadataId)}`);
    expect(found.body.items).toHaveLength(1);
    expect(found.body.items[0].identifier).toBe(identifier);
    const { cordraPath, cordraHost, resolver, infoHdl } = found.body.items[0].uris;
    expect([cordraPath, cordraHost, resolver, infoHdl]).toEqual([
      `hdl:${identifier}`,
      `hdl://${identifier}`,
      `http://hdl.handle.net/${identifier}`,
      `info:hdl/${identifier}`,
    ]);
    for (const uri of [cordraPath, cordraHost, resolver, infoHdl]) {
      const resolved = await service.client.get(`/identifiers/${encodeURIComponent(uri)}`);
      expect(resolved.body.identifier).toBe(identifier);
    }
  });
});
