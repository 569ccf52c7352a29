import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { ADMIN } from '../access/authorisation/credentials.js';
import { ndjson, sendChanges } from '../harness/changes.js';
import { type Answer, Client, coded } from '../harness/client.js';
import { createDatabase, query } from '../harness/database.js';
import { exchange } from '../harness/exchange.js';
import { ANY, REAL_LIFE, SETTINGS, pathOf, useOpaqueIds } from '../harness/opaque-ids.js';
import { startServer } from '../harness/server.js';
import { sendLines } from '../harness/stream.js';

const { service, get, listed, mint, minted, patch, post } = useOpaqueIds();

describe('an opaque metadata ID in every write', () => {
  it('of a change: it is set, replaced, removed and repeated, and the history has it', async () => {
    const object = await mint({});
    const path = pathOf(object);
    const key = { 'idempotency-key': 'set-opaque' };
    const set = await patch(path, { metadataId: 'oai:repo.org:c1' }, key);
    expect([set.status, set.body.metadataId, set.body.version]).toEqual([200, 'oai:repo.org:c1', 2]);
    const repeated = await patch(path, { metadataId: 'oai:repo.org:c1' }, key);
    expect([repeated.status, repeated.text]).toEqual([200, set.text]);
    expect(coded(await patch(path, { metadataId: 'OAI:repo.org:c1' }, key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await patch(path, { metadataId: 'oai:repo.org:c1' })).body.version).toBe(2);
    const taken = await patch(path, { metadataId: '4711' });
    expect([...coded(taken), taken.body.identifier]).toEqual([409, 'METADATA_ID_TAKEN', minted.get('4711')]);
    expect((await patch(path, { metadataId: 'hdl:9.9/c' })).body.metadataId).toBe('hdl:9.9/c');
    expect((await patch(path, { metadataId: '9.9/c' })).body).toMatchObject({ metadataId: '9.9/c', version: 4 });
    expect((await patch(path, { metadataId: null })).body.metadataId).toBeNull();
    const { items } = (await get(`${path}/history`)).body;
    const values = items.flatMap(({ patch: operations }: any) =>
      operations.flatMap(({ path: at, value }: any) => (at === '/metadataId' ? [value] : [])),
    );
    expect(values.toSorted()).toEqual(['9.9/c', 'hdl:9.9/c', null, 'oai:repo.org:c1'].toSorted());
  });

  it('of a bulk change, which releases the name that it replaces, and of its dry run', async () => {
    const [{ body: one }, { body: two }] = [await mint({ metadataId: 'bulk 1' }), await mint({ metadataId: 'bulk 2' })];
    const lines = ndjson(
      { identifier: one.identifier, metadataId: 'hdl:9.9/bulk' },
      { identifier: two.identifier, metadataId: 'bulk 1' },
      { identifier: one.identifier, metadataId: 'bulk 1' },
      { identifier: one.identifier, metadataId: 'a\u0007b' },
    );
    const statuses = [200, 200, 409, 400];
    const preview = await sendChanges(service.client, lines, { query: '?dryRun=true', headers: ADMIN });
    expect(preview.lines.map(({ status }) => status)).toEqual(statuses);
    const changed = await sendChanges(service.client, lines, { headers: ADMIN });
    expect(changed.lines.map(({ status }) => status)).toEqual(statuses);
    expect(changed.lines[2].problem).toMatchObject({ code: 'METADATA_ID_TAKEN', identifier: two.identifier });
    expect((await get(pathOf({ body: one } as Answer))).body.metadataId).toBe('hdl:9.9/bulk');
    // As an opaque text it is no name of the identifier `9.9/bulk`.
    expect((await mint({ metadataId: '9.9/bulk' })).status).toBe(201);
  });

  it('of a mint with a key, a batch and a stream, and of their repeats', async () => {
    const key = { 'idempotency-key': 'mint-opaque' };
    const first = await mint({ metadataId: 'oai:repo.org:m1' }, key);
    const again = await mint({ metadataId: 'oai:repo.org:m1' }, key);
    expect([first.status, again.status, again.body.identifier]).toEqual([201, 201, first.body.identifier]);
    expect(coded(await mint({ metadataId: 'oai:repo.org:m2' }, key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);

    const items = [
      { metadataId: 'oai:repo.org:m1' },
      { metadataId: 'B 1' },
      { metadataId: 'b 1' },
      { metadataId: 'B 1' },
    ];
    const batchKey = { 'idempotency-key': 'batch-opaque' };
    const batch = await post('/identifiers/batch?mode=perItem', { namingAuthority: ANY, items }, batchKey);
    const stored = await post('/identifiers/batch?mode=perItem', { namingAuthority: ANY, items }, batchKey);
    const outcomes = (answer: Answer) => answer.body.items.map(({ status }: any) => status);
    expect(outcomes(batch)).toEqual([200, 201, 201, 200]);
    expect(outcomes(stored)).toEqual([200, 201, 201, 200]);

    const lines = ['oai:repo.org:m1', 'S 1', ' S 1']
      .map((metadataId) => `${JSON.stringify({ metadataId })}\n`)
      .join('');
    const url = `${service.server.url}/identifiers/bulk?namingAuthority=${ANY}`;
    const streamKey = { ...ADMIN, 'idempotency-key': 'stream-opaque' };
    const sent = await sendLines(url, lines, streamKey);
    const repeated = await sendLines(url, lines, streamKey);
    expect(sent.map(({ status }) => status)).toEqual([200, 201, 201]);
    const named = (results: any[]) => results.map(({ identifier }) => identifier);
    expect(named(repeated)).toEqual(named(sent));
  });

  it('of a reservation that is activated', async () => {
    const leaseUntil = new Date(Date.now() + 3_600_000).toISOString();
    const reserved = await mint({ state: 'reserved', leaseUntil, metadataId: 'draft 1' });
    expect(reserved.status).toBe(201);
    const headers = { 'if-match': '*' };
    const activated = await post(`${pathOf(reserved)}/activate`, { metadataId: 'oai:repo.org:r1' }, headers);
    expect([activated.status, activated.body.metadataId]).toEqual([200, 'oai:repo.org:r1']);
    expect(await listed('draft 1')).toEqual([]);
  });

  it('of the values of a Handle', async () => {
    const send = (body: unknown) =>
      exchange(service.server.url, '/api/handles/Any/valued', {
        method: 'PUT',
        headers: { ...ADMIN, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const value = (data: string) => [{ index: 5, type: 'METADATA_ID', data }];
    expect((await send(value('oai:repo.org:h1'))).status).toBe(201);
    expect((await get('/identifiers/Any/valued')).body.metadataId).toBe('oai:repo.org:h1');
    expect((await send(value('0815'))).status).toBe(200);
    const { body } = await get('/identifiers/Any/valued');
    expect(body.metadataId).toBe('0815');
    expect(body.handleValues).toMatchObject([{ index: 5, data: { format: 'string', value: '0815' } }]);
    const taken = await send(value('4711'));
    expect([taken.status, JSON.parse(taken.text).responseCode]).toEqual([409, 202]);
    const rejected = await send(value('a\tb'));
    expect(rejected.status).toBe(400);
  });
});

it('an export as NDJSON and as CSV is imported into another registry without a difference', async () => {
  const exportOf = async (client: Client, accept: string) => {
    const answer = await fetch(`${client.base}/identifiers/export?namingAuthority=${ANY}`, {
      headers: { ...ADMIN, accept },
    });
    return answer.text();
  };
  const [ndjson, csv] = [
    await exportOf(service.client, 'application/x-ndjson'),
    await exportOf(service.client, 'text/csv'),
  ];
  expect(ndjson.split('\n').length - 1).toBeGreaterThan(REAL_LIFE.length);
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true });
  const cells = rows.map(({ metadataId = '' }) => metadataId);
  expect(cells).toContain(`'=HYPERLINK("http://evil.example","x")`);
  for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@]/);
  const importInto = async (type: string, body: string) => {
    const database = await createDatabase();
    const server = await startServer({ ...SETTINGS, DATABASE_URL: database.url });
    try {
      const other = new Client(server.url);
      const settings = { namingAuthority: ANY, profile: 'handle', storesHandleValues: true, metadataIdScheme: 'any' };
      expect((await other.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
      const results = await sendLines(`${server.url}/identifiers/import`, body, { ...ADMIN, 'content-type': type });
      expect(results.filter(({ status }) => status !== 201)).toEqual([]);
      expect(await exportOf(other, 'application/x-ndjson')).toBe(ndjson);
    } finally {
      await server.stop();
      await database.drop();
    }
  };
  await Promise.all([importInto('application/x-ndjson', ndjson), importInto('text/csv', csv)]);
});

it('a naming authority of another replica is read by its own scheme', async () => {
  const replica = await startServer({ ...SETTINGS, DATABASE_URL: service.database.url });
  try {
    const other = new Client(replica.url);
    await other.get('/identifiers?metadataId=demo:7', ADMIN);
    const settings = { namingAuthority: 'New', profile: 'handle', metadataIdScheme: 'any' };
    expect((await post('/naming-authorities', settings)).status).toBe(201);
    const minted = await other.post('/identifiers', { namingAuthority: 'New', metadataId: 'new 1' }, ADMIN);
    expect([minted.status, minted.body.metadataId]).toEqual([201, 'new 1']);
    const second = await post('/naming-authorities', { ...settings, namingAuthority: 'New2' });
    expect(second.status).toBe(201);
    const object = await post('/identifiers', { namingAuthority: 'New2', localName: 'a' });
    const headers = { ...ADMIN, 'content-type': 'application/merge-patch+json', 'if-match': '*' };
    const changed = await other.send('PATCH', pathOf(object), headers, JSON.stringify({ metadataId: 'new 2' }));
    expect([changed.status, changed.body.metadataId]).toEqual([200, 'new 2']);
    expect(await listed('new 2')).toEqual([object.body.identifier]);
  } finally {
    await replica.stop();
  }
});

it('the database rejects another scheme and a change of it', async () => {
  const { url } = service.database;
  const change = `UPDATE naming_authority SET metadata_id_scheme = 'recognized' WHERE prefix = '${ANY}'`;
  await expect(query(url, change)).rejects.toThrow(
    `the rules of the naming authority ${ANY} are kept: it has identifiers or users`,
  );
  const insert = `INSERT INTO naming_authority (prefix, profile, metadata_id_scheme) VALUES ('x', 'handle', 'other')`;
  await expect(query(url, insert)).rejects.toThrow('naming_authority_metadata_id_scheme_check');
});
