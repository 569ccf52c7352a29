import { beforeAll, describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

// The service has a digest in which "twin1" and "twin2" are equal; nothing else of it is changed.
const service = useService({
  NODE_OPTIONS: `--import ${new URL('../harness/colliding-digest.js', import.meta.url).href}`,
});

const COLLISION = [409, 'KEY_COLLISION'];
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
const mint = (fields: object) => service.client.mint(fields);
const patch = (identifier: string, fields: object) =>
  service.client.send('PATCH', `/identifiers/${encodeURIComponent(identifier)}`, MERGE_PATCH, JSON.stringify(fields));
const pointers = (body: any) => body.errors.map(({ pointer }: any) => pointer);

let of: { metadata: string; alternate: string };

beforeAll(async () => {
  // The same digest in the function of the database.
  await query(
    service.database.url,
    `CREATE OR REPLACE FUNCTION self_key(prefix text, guid uuid, local_name text, case_insensitive boolean) RETURNS uuid
       LANGUAGE sql STABLE PARALLEL SAFE
     RETURN encode(substring(sha256(convert_to('hdl:' || upper(prefix) || '/'
       || coalesce(regexp_replace(local_name, 'twin[12]', 'twin'), upper(replace(guid::text, '-', ''))), 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`,
  );
  const created = await service.client.post('/naming-authorities', { namingAuthority: '20', profile: 'handle' });
  expect(created.status).toBe(201);
  const metadata = await mint({ metadataId: 'hdl:9.9/twin1' });
  const alternate = await mint({ alternateIds: ['hdl:9.9/alt-twin1'] });
  const named = await mint({ namingAuthority: '20', localName: 'twin1' });
  expect([metadata.status, alternate.status, named.status]).toEqual([201, 201, 201]);
  of = { metadata: metadata.body.identifier, alternate: alternate.body.identifier };
});

describe('a name with the key of another one', () => {
  it.each([
    ['a metadata ID', { metadataId: 'hdl:9.9/twin2' }, '/metadataId'],
    ['an alternate', { alternateIds: ['demo:7', 'hdl:9.9/alt-twin2'] }, '/alternateIds/1'],
    ['a local name', { namingAuthority: '20', localName: 'twin2' }, '/localName'],
    ['two alternates', { alternateIds: ['hdl:9.9/new-twin1', 'hdl:9.9/new-twin2'] }, '/alternateIds/1'],
  ])('is rejected in a mint, a batch and a stream: %s', async (_, fields, pointer) => {
    const single = await mint(fields);
    expect(coded(single)).toEqual(COLLISION);
    expect(pointers(single.body)).toEqual([pointer]);

    const item = { namingAuthority: '100.102', ...fields };
    const batch = await service.client.post('/identifiers/batch?mode=perItem', { items: [item, {}] });
    expect(coded({ ...batch, status: batch.body.items[0].status, body: batch.body.items[0].problem })).toEqual(
      COLLISION,
    );
    const atomic = await service.client.post('/identifiers/batch?mode=atomic', { items: [item] });
    expect(atomic.status).toBe(422);
    expect(JSON.stringify(atomic.body)).toContain('KEY_COLLISION');
    const [line] = await sendLines(
      `${service.server.url}/identifiers/bulk?namingAuthority=100.102`,
      `${JSON.stringify(item)}\n`,
      {},
    );
    expect([line.status, line.problem.code]).toEqual(COLLISION);
  });

  it('is rejected in a change', async () => {
    const { body } = await mint({});
    for (const [fields, pointer] of [
      [{ metadataId: 'hdl:9.9/twin2' }, '/metadataId'],
      [{ alternateIds: ['hdl:9.9/alt-twin2'] }, '/alternateIds/0'],
    ] as const) {
      const changed = await patch(body.identifier, fields);
      expect(coded(changed)).toEqual(COLLISION);
      expect(pointers(changed.body)).toEqual([pointer]);
    }
  });

  it('is rejected in an import', async () => {
    const exported = await fetch(`${service.server.url}/identifiers/export?namingAuthority=20`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const line = JSON.parse((await exported.text()).split('\n')[0]!);
    const other = { ...line, identifier: '20/twin2' };
    const [result] = await sendLines(`${service.server.url}/identifiers/import`, `${JSON.stringify(other)}\n`, {});
    expect([result.status, result.problem.code, pointers(result.problem)]).toEqual([...COLLISION, ['/identifier']]);
  });

  it('is a new metadata ID under another naming authority, and no identifier is its own by it', async () => {
    const described = { namingAuthority: '20', localName: 'self-twin1', metadataId: 'hdl:20/self-twin2' };
    expect((await mint(described)).status).toBe(201);
    const { body } = await service.client.get('/identifiers/20%2Fself-twin1');
    expect(body.describes).toEqual([]);
  });

  it('is not found, and the other one is', async () => {
    expect((await service.client.get('/identifiers/20%2Ftwin1')).status).toBe(200);
    expect(coded(await service.client.get('/identifiers/20%2Ftwin2'))).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
    const found = async (query: string) =>
      (await service.client.get(`/identifiers?${query}`)).body.items.map(({ identifier }: any) => identifier);
    expect(await found('metadataId=hdl:9.9/twin1')).toEqual([of.metadata]);
    expect(await found('metadataId=hdl:9.9/twin2')).toEqual([]);
    expect(await found('metadataId=hdl:9.9/twin2&state=active')).toEqual([]);
    expect(await found('alternateId=hdl:9.9/alt-twin1')).toEqual([of.alternate]);
    expect(await found('alternateId=hdl:9.9/alt-twin2')).toEqual([]);
  });

  it('is not found by a look-up of many texts, which finds an identifier behind the other one', async () => {
    const later = await mint({ namingAuthority: '2000.01', metadataId: 'hdl:9.9/twin2' });
    expect(later.status).toBe(201);
    const inputs = ['hdl:9.9/twin1', 'hdl:9.9/twin2', 'hdl:9.9/alt-twin2', '20/twin2', 'hdl:9.9/alt-twin1'];
    const { body } = await service.client.post('/identifiers/lookup', { items: inputs });
    expect(body.items.map(({ outcome, identifier }: any) => [outcome, identifier ?? null])).toEqual([
      ['found', of.metadata],
      ['found', later.body.identifier],
      ['missing', null],
      ['missing', null],
      ['found', of.alternate],
    ]);
  });

  it('does not end a list before the identifier behind it', async () => {
    const { body } = await service.client.get('/identifiers?metadataId=hdl:9.9/twin2&limit=1&state=active');
    expect(body.items).toHaveLength(1);
  });

  it('is not among the objects that a record describes', async () => {
    const object = await mint({ metadataId: 'hdl:20/twin1' });
    const other = await mint({ namingAuthority: '2000.01', metadataId: 'hdl:20/twin2' });
    expect([object.status, other.status]).toEqual([201, 201]);
    const { body } = await service.client.get('/identifiers/20%2Ftwin1');
    expect(body.describes).toEqual([object.body.identifier]);
  });

  it('is not the previous version of what replaces the other one', async () => {
    // Under a naming authority of which only twin1 is registered; twin2 was named by an import.
    const time = '2026-01-01T00:00:00Z';
    const line = (guid: string, previousVersion: string) =>
      JSON.stringify({
        ...{ identifier: `100.102/${guid}`, previousVersion, state: 'active', version: 1 },
        ...{ createdAt: time, updatedAt: time },
      });
    const [same, other] = ['F58FB49EB1F848F0A606E84CEF294BE5', 'A3D8BE7457C943FFB66ED4583059A8BA'];
    const lines = `${line(same, '20/twin1')}\n${line(other, '20/twin2')}\n`;
    const results = await sendLines(`${service.server.url}/identifiers/import`, lines, {});
    expect(results.map(({ outcome }: any) => outcome)).toEqual(['imported', 'imported']);
    const { body } = await service.client.get('/identifiers/20%2Ftwin1');
    expect(body.newerVersions).toEqual([`100.102/${same}`]);
  });
});

describe('an opaque metadata ID with the key of another one', () => {
  // Without what follows "?", and without their case, these two are equal as names.
  const [one, other] = ['Record?twin1', 'Record?twin2'];
  let holder: string;

  beforeAll(async () => {
    const settings = { namingAuthority: '21', profile: 'handle', storesHandleValues: true, metadataIdScheme: 'any' };
    expect((await service.client.post('/naming-authorities', settings)).status).toBe(201);
    const minted = await mint({ namingAuthority: '21', metadataId: one });
    expect(minted.status).toBe(201);
    holder = minted.body.identifier;
  });

  it('is rejected in a mint and in a change', async () => {
    const rejected = await mint({ namingAuthority: '21', metadataId: other });
    expect([...coded(rejected), pointers(rejected.body)]).toEqual([...COLLISION, ['/metadataId']]);
    const { body } = await mint({ namingAuthority: '21' });
    expect(coded(await patch(body.identifier, { metadataId: other }))).toEqual(COLLISION);
  });

  it('is not found in a list, a look-up of texts and a search for values', async () => {
    const listed = async (metadataId: string, more = '') => {
      const { body } = await service.client.get(`/identifiers?metadataId=${encodeURIComponent(metadataId)}${more}`);
      return body.items.map(({ identifier }: any) => identifier);
    };
    const { body } = await service.client.post('/identifiers/lookup', { items: [one, other, one.toLowerCase()] });
    expect(body.items.map(({ outcome }: any) => outcome)).toEqual(['found', 'missing', 'missing']);
    for (const [text, found] of [
      [one, [holder]],
      [other, []],
    ] as const) {
      expect(await listed(text)).toEqual(found);
      expect(await listed(text, '&state=active')).toEqual(found);
      const search = await service.client.get(`/hrls/handles?METADATA_ID=${encodeURIComponent(text)}`);
      expect(search.body).toEqual(found);
    }
  });
});
