import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { HandleRecordsService } from '../../../dist/changing/handle-records.service.js';
import { type HandleFault, parseValues } from '../../../dist/handle/values/index.js';
import { OPEN_ACCESS, Principal } from '../../../dist/access/principal.js';
import { handleRecordsOn } from '../harness/handle-records.js';
import { useService } from '../harness/service.js';

// Real: the built services and their database, and the REST API of a process on the same database. There is no interface yet.
let pool: pg.Pool;
// Registered first, because the database is dropped after it.
afterAll(() => pool.end());
const service = useService();
const other = useService();
let records: HandleRecordsService;

const AUTHORITIES = [
  { namingAuthority: '900', profile: 'handle', storesHandleValues: true, sandbox: true, caseInsensitive: true },
  { namingAuthority: '901', profile: 'handle', storesHandleValues: true },
  { namingAuthority: '902', profile: 'handle' },
];
const ADMIN = { principal: OPEN_ACCESS, idempotencyKey: undefined };
const URL_1 = { index: 1, type: 'URL', data: 'https://repo.example.org/1' };
const EMAIL = { index: 4, type: 'EMAIL', data: 'a@example.org' };
const SECRET = { index: 300, type: 'HS_SECKEY', data: 's3cret', permissions: '1100' };

const put = (handle: string, values: unknown, options: object = {}, context = ADMIN) =>
  records.put(context, handle, {
    values: parseValues(values, new Date()).values,
    indexes: null,
    overwrite: true,
    ...options,
  });
const show = (handle: string) => service.client.get(`/identifiers/${encodeURIComponent(`hdl:${handle}`)}`);
const shown = async (handle: string) => (await show(handle)).body;
const history = async (handle: string) =>
  (await service.client.get(`/identifiers/${encodeURIComponent(`hdl:${handle}`)}/history`)).body.items;
const patch = (handle: string, body: object) =>
  service.client.send(
    'PATCH',
    `/identifiers/${encodeURIComponent(`hdl:${handle}`)}`,
    { 'content-type': 'application/json', 'if-match': '*' },
    JSON.stringify(body),
  );
const faultOf = async (work: Promise<unknown>): Promise<[number | string, string]> =>
  work.then(
    (result) => [String(result), ''],
    (error: unknown) => {
      const { responseCode, code, message } = error as Partial<HandleFault> & { code?: string };
      return [responseCode ?? code ?? String(error), message ?? ''];
    },
  );
const indexesIn = (body: { handleValues: { index: number; type: string }[] | null }) =>
  body.handleValues?.map(({ index, type }) => `${index} ${type}`) ?? null;

beforeAll(async () => {
  for (const { client } of [service, other]) {
    for (const authority of AUTHORITIES) {
      const created = await client.post('/naming-authorities', authority);
      expect([created.status, created.body]).toEqual([201, expect.objectContaining(authority)]);
    }
  }
  pool = new pg.Pool({ connectionString: service.database.url, max: 4 });
  records = handleRecordsOn(pool);
});

describe('a Handle with stored values', () => {
  it('is registered with its values by one event, and shown with them', async () => {
    expect(await put('901/a', [EMAIL, URL_1, SECRET])).toBe('created');
    const body = await shown('901/a');
    expect([body.target, body.version, body.sandbox, indexesIn(body)]).toEqual([
      ...['https://repo.example.org/1', 1, false, ['1 URL', '4 EMAIL']],
    ]);
    const events = await history('901/a');
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(['registered']);
    expect(events[0].patch[0].value.handleValues.map(({ index }: { index: number }) => index)).toEqual([1, 4]);
  });

  it('is replaced by the next write, by one version and one event, and a write that changes nothing writes nothing', async () => {
    await put('901/b', [URL_1, EMAIL]);
    const before = await shown('901/b');
    expect(await put('901/b', [URL_1, EMAIL])).toBe('replaced');
    expect(await shown('901/b')).toEqual(before);
    expect(await put('901/b', [{ ...URL_1, data: 'https://repo.example.org/é' }])).toBe('replaced');
    const after = await shown('901/b');
    expect([after.version, after.target, indexesIn(after)]).toEqual([2, 'https://repo.example.org/%C3%A9', ['1 URL']]);
    expect(after.handleValues[0].data.value).toBe('https://repo.example.org/é');
    expect((await history('901/b')).map(({ kind }: { kind: string }) => kind)).toEqual(['registered', 'changed']);
  });

  it('agrees with each change of its target and its metadata ID in the REST API', async () => {
    await put('901/c', [URL_1, EMAIL, { index: 9, type: 'METADATA_ID', data: 'info:fedora/demo:9' }]);
    expect((await shown('901/c')).metadataId).toBe('info:fedora/demo:9');
    const changed = await patch('901/c', { target: 'https://new.example/', metadataId: 'info:fedora/demo:10' });
    expect([changed.status, changed.body.handleValues.map(({ data }: any) => data.value)]).toEqual([
      ...[200, ['https://new.example/', 'a@example.org', 'info:fedora/demo:10']],
    ]);
    const removed = await patch('901/c', { target: null, metadataId: null });
    expect([removed.status, indexesIn(removed.body)]).toEqual([200, ['4 EMAIL']]);
  });

  it('keeps its metadata ID in a write without one, and loses it with its index', async () => {
    await put('901/d', [URL_1, { index: 9, type: 'METADATA_ID', data: 'info:fedora/demo:11' }]);
    await put('901/d', [URL_1]);
    expect((await shown('901/d')).metadataId).toBe('info:fedora/demo:11');
    expect(await faultOf(put('901/d2', [{ index: 9, type: 'METADATA_ID', data: 'info:fedora/demo:11' }]))).toEqual([
      ...['METADATA_ID_TAKEN', expect.any(String)],
    ]);
    await records.remove(ADMIN, '901/d', [9]);
    expect((await shown('901/d')).metadataId).toBe(null);
  });

  it('rejects what the request does not permit', async () => {
    await put('901/e', [URL_1]);
    expect(await faultOf(put('901/e', [URL_1], { overwrite: false }))).toEqual([101, '']);
    expect(await faultOf(put('901/e', [URL_1], { indexes: [1], overwrite: false }))).toEqual([
      201,
      'Index conflict for 1',
    ]);
    expect(await faultOf(put('901/nothing', [URL_1], { indexes: 'various' }))).toEqual([100, '']);
    expect(await faultOf(put('999/a', [URL_1]))).toEqual([301, "That prefix doesn't live here"]);
    expect(await faultOf(records.remove(ADMIN, '901/e', [1, 5]))).toEqual([200, '']);
    expect(await faultOf(records.delete(ADMIN, '901/e'))).toEqual([400, expect.stringMatching(/withdraw/)]);
    expect((await shown('901/e')).version).toBe(1);
    const reader = { ...ADMIN, principal: new Principal('reader', null, ['curate'], null) };
    expect((await faultOf(put('901/f', [URL_1], {}, reader)))[0]).toBe('SCOPE_MISSING');
  });

  it('is rejected for values that its naming authority does not store', async () => {
    expect(await faultOf(put('902/a', [URL_1, EMAIL]))).toEqual([
      4,
      expect.stringMatching(/"storesHandleValues": true/),
    ]);
    expect(await put('902/a', [URL_1])).toBe('created');
    const body = await shown('902/a');
    expect([body.target, body.handleValues]).toEqual(['https://repo.example.org/1', null]);
  });

  it('is minted with a start of its name', async () => {
    const { values } = parseValues([URL_1], new Date());
    const { record } = await records.mint(ADMIN, '901/pre-', values);
    expect(record.localName).toMatch(/^pre-[0-9A-F]{32}$/);
    expect(indexesIn(await shown(`901/${record.localName}`))).toEqual(['1 URL']);
  });
});

describe('a Handle of a sandbox', () => {
  it('is deleted with its names, and written again as the same record', async () => {
    await put('900/Test', [URL_1, { index: 9, type: 'METADATA_ID', data: 'info:fedora/demo:20' }]);
    expect((await shown('900/Test')).sandbox).toBe(true);
    await records.delete(ADMIN, '900/TEST');
    expect((await show('900/Test')).status).toBe(410);
    expect(await faultOf(records.delete(ADMIN, '900/test'))).toEqual([100, '']);
    expect(await faultOf(records.remove(ADMIN, '900/test', [1]))).toEqual([100, '']);
    expect(await put('900/Other', [{ index: 9, type: 'METADATA_ID', data: 'info:fedora/demo:20' }])).toBe('created');
    expect(await put('900/test', [EMAIL], { overwrite: false })).toBe('created');
    const body = await shown('900/Test');
    expect([body.identifier, body.version, body.target, indexesIn(body)]).toEqual(['900/Test', 3, null, ['4 EMAIL']]);
    expect((await history('900/Test')).map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['registered', 'deleted', 'reinstated'],
    ]);
  });

  it('is not written after a withdrawal in the REST API', async () => {
    await put('900/w', [URL_1]);
    await service.client.post(`/identifiers/${encodeURIComponent('hdl:900/w')}/withdraw`, { reason: 'twice' });
    expect((await faultOf(put('900/w', [URL_1])))[0]).toBe('WRONG_STATE');
  });
});

describe('an export with values', () => {
  const exported = async (accept: string) =>
    (await fetch(`${service.server.url}/identifiers/export?namingAuthority=901`, { headers: { accept } })).text();
  const imported = async (type: string, body: string, url = other.server.url) => {
    const answer = await fetch(`${url}/identifiers/import`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    return (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  it.each([['text/csv'], ['application/x-ndjson']])('is imported with all of them as %s', async (type) => {
    await put('901/x', [URL_1, SECRET, { index: 7, type: 'ODD', data: { format: 'hex', value: '00ff' }, ttl: 60 }]);
    const file = await exported(type);
    const results = await imported(type, file);
    expect(results.filter(({ status }) => status !== 201 && status !== 200)).toEqual([]);
    const copy = await (await fetch(`${other.server.url}/identifiers/export?namingAuthority=901`)).text();
    expect(copy.split('\n').sort()).toEqual((await exported('application/x-ndjson')).split('\n').sort());
    expect(copy).toContain('s3cret');
    expect((await imported(type, file)).every(({ outcome }) => outcome === 'unchanged')).toBe(true);
  });

  it('is rejected where it has left out values, or where they do not agree with the target', async () => {
    const [line] = (await exported('application/x-ndjson'))
      .split('\n')
      .map((text) => (text === '' ? {} : JSON.parse(text)));
    const rejected = async (members: object) => {
      const [result] = await imported('application/x-ndjson', `${JSON.stringify({ ...line, ...members })}\n`);
      return [result.status, result.problem?.errors?.[0]?.pointer];
    };
    expect(await rejected({ hiddenValues: 1 })).toEqual([400, '/hiddenValues']);
    expect(await rejected({ target: 'https://wrong.example/' })).toEqual([400, '/target']);
    expect(await rejected({ handleValues: [{ index: 0, type: 'A', data: 'a' }] })).toEqual([400, '/handleValues']);
    expect(await rejected({ identifier: '902/q' })).toEqual([400, '/handleValues']);
  });
});
