import { describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { client, na } = service;

describe('a text with the scheme of others', () => {
  it('R-28: is no Fedora PID, and the PID is found by its URI', async () => {
    const text = 'isbn:9780000000000';
    const rejected = await client.post('/identifiers', { namingAuthority: na, metadataId: text });
    expect([rejected.status, rejected.body.code]).toEqual([400, 'WRONG_SCHEME']);
    expect(rejected.body.errors).toMatchObject([{ pointer: '/metadataId', offset: 0 }]);
    expect(rejected.body.detail).toContain('"metadataIdScheme": "any"');
    const alternate = await client.post('/identifiers', { namingAuthority: na, alternateIds: [text] });
    expect([alternate.status, alternate.body.errors[0].pointer]).toEqual([400, '/alternateIds/0']);

    const minted = await client.post('/identifiers', { namingAuthority: na, metadataId: `info:fedora/${text}` });
    expect([minted.status, minted.body.metadataId]).toEqual([201, `info:fedora/${text}`]);
    expect(minted.body).not.toHaveProperty('understood');
    const found = await client.get(
      `/identifiers?metadataId=info%3Afedora%2Fisbn%3A9780000000000&namingAuthority=${na}`,
    );
    expect(found.body.items.map(({ identifier }: any) => identifier)).toEqual([minted.body.identifier]);
    const items = [`info:fedora/${text}`, text];
    const { body } = await client.post('/identifiers/lookup', { items });
    expect(body.items.map(({ outcome }: any) => outcome)).toEqual(['found', 'malformed']);
  });

  it('is a metadata ID under the scheme "any"', async () => {
    const namingAuthority = `${na}.5`;
    expect(
      (await service.client.post('/naming-authorities', { namingAuthority, metadataIdScheme: 'any' })).status,
    ).toBe(201);
    const minted = await client.post('/identifiers', { namingAuthority, metadataId: 'isbn:9780000000000' });
    expect([minted.status, minted.body.metadataId]).toEqual([201, 'isbn:9780000000000']);
  });
});

describe('what a mint understood', () => {
  const understood = { '/metadataId': 'info:fedora/understood:1', '/alternateIds/1': 'hdl:7/Understood-1' };
  const request = { metadataId: 'understood:1', alternateIds: ['info:fedora/understood:2', '7/Understood-1'] };

  it('is in its response where it differs from what was sent', async () => {
    const send = () => client.post('/identifiers', { namingAuthority: na, ...request }, { 'idempotency-key': na });
    const minted = await send();
    expect([minted.status, minted.body.understood]).toEqual([201, understood]);
    expect((await send()).body).toEqual(minted.body);
    const read = { ...minted.body, target: 'https://a.example/' };
    const patched = await client.send(
      'PATCH',
      `/identifiers/${minted.body.identifier}`,
      { 'content-type': 'application/json', 'if-match': '*' },
      JSON.stringify(read),
    );
    expect(patched.status).toBe(200);
  });

  it('is in the result of an item and a line, also in a minimal one and in a replay', async () => {
    const items = [request, { metadataId: 'info:fedora/understood:1' }];
    const sendBatch = (headers = {}) =>
      client.post('/identifiers/batch', { namingAuthority: na, items }, { 'idempotency-key': `b-${na}`, ...headers });
    const [first, second] = (await sendBatch()).body.items;
    expect([first.understood, 'understood' in second]).toEqual([understood, false]);
    const replayed = (await sendBatch({ prefer: 'return=minimal' })).body.items;
    expect([replayed[0].understood, 'record' in replayed[0]]).toEqual([understood, false]);
    const url = `${service.server.url}/identifiers/bulk?namingAuthority=${na}`;
    const [line] = await sendLines(url, `${JSON.stringify(request)}\n`);
    expect([line.status, line.understood]).toEqual([200, understood]);
  });
});
