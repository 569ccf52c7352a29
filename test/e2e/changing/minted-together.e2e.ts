import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ndjson, sendChanges } from '../harness/changes.js';
import { coded } from '../harness/client.js';
import { pathOf } from '../harness/curation.js';
import { query } from '../harness/database.js';
import { freshPid } from '../harness/fresh-names.js';
import { NEXT_YEAR, inFuture, reservationsOf } from '../harness/reservations.js';
import { useService } from '../harness/service.js';

// The sweep runs often, so that leases that end are recorded during the test.
const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '200', INTERFACES: 'api,resolver,handles' });
const { kinds, reserve } = reservationsOf(service);

const RESERVED = { state: 'reserved', leaseUntil: NEXT_YEAR };
const PAGE = 'https://repo.example.org/records/7';

interface Pair {
  readonly object: string;
  readonly record: string;
}
const pairWith = async (fields: object = {}): Promise<Pair> => {
  const { status, body } = await service.client.mint({ ...RESERVED, mintMetadataId: true, ...fields });
  expect(status).toBe(201);
  return { object: body.identifier, record: body.metadataRecord.identifier };
};
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const step = (identifier: string, name: string, body: object = {}, headers: Record<string, string> = {}) =>
  service.client.post(`${pathOf(identifier)}/${name}`, body, headers);
const patch = (identifier: string, body: object) =>
  service.client.send(
    'PATCH',
    pathOf(identifier),
    { 'content-type': 'application/json', 'if-match': '*' },
    JSON.stringify(body),
  );
const read = async (identifier: string) => {
  const { status, body } = await service.client.get(pathOf(identifier));
  return status === 410 ? { state: 'withdrawn', tombstone: body.tombstone } : body;
};
const statesOf = async ({ object, record }: Pair) => [(await read(object)).state, (await read(record)).state];
const change = async (lines: object[], queryText = '') =>
  (await sendChanges(service.client, ndjson(...lines), { query: queryText })).lines;
/** How many transactions wrote the last changes of a pair. */
const transactions = async ({ object, record }: Pair) =>
  (
    await query<{ n: number }>(
      service.database.url,
      `SELECT count(DISTINCT c.position)::int AS n FROM change c JOIN identifier i ON i.id = c.identifier_id AND c.version = i.version
       WHERE i.guid IN ($1::uuid, $2::uuid)`,
      [object.slice(-32), record.slice(-32)],
    )
  )[0]?.n;

beforeAll(async () => {
  const settings = { namingAuthority: '9000', sandbox: true };
  expect((await service.client.post('/naming-authorities', settings)).status).toBe(201);
});

describe('the activation of an object', () => {
  it('activates the metadata record that was minted with it, in the same transaction', async () => {
    const pair = await pairWith();
    const { status, body } = await step(pair.object, 'activate');
    expect([status, body.state, body.version, body.metadataId]).toEqual([200, 'active', 2, `hdl:${pair.record}`]);
    expect(await read(pair.record)).toMatchObject({
      ...{ state: 'active', leaseUntil: null, version: 2, target: null, describes: [pair.object] },
    });
    expect(await kinds(pair.record)).toEqual(['reserved', 'activated']);
    expect(await transactions(pair)).toBe(1);
    const history = await service.client.get(`${pathOf(pair.record)}/history`);
    expect(history.body.items.map(({ version, kind }: any) => [version, kind])).toEqual([
      [1, 'reserved'],
      [2, 'activated'],
    ]);
  });

  it('gives the record its target by metadataTarget', async () => {
    const pair = await pairWith();
    expect((await step(pair.object, 'activate', { metadataTarget: PAGE })).status).toBe(200);
    expect(await read(pair.record)).toMatchObject({ state: 'active', target: PAGE, version: 2 });
    expect((await read(pair.object)).target).toBeNull();
  });

  it('is one change also where it is repeated with its idempotency key', async () => {
    const pair = await pairWith();
    const key = { 'idempotency-key': randomUUID() };
    const first = await step(pair.object, 'activate', { metadataTarget: PAGE }, key);
    expect((await patch(pair.record, { target: null })).status).toBe(200);
    const again = await step(pair.object, 'activate', { metadataTarget: PAGE }, key);
    expect([again.status, again.headers.get('idempotency-replayed'), again.text]).toEqual([200, 'true', first.text]);
    expect(await read(pair.record)).toMatchObject({ target: null, version: 3 });
    const other = await step(pair.object, 'activate', { metadataTarget: `${PAGE}/b` }, key);
    expect(coded(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('that If-Match rejects changes neither', async () => {
    const pair = await pairWith();
    expect(coded(await step(pair.object, 'activate', {}, { 'if-match': '"2"' }))).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await statesOf(pair)).toEqual(['reserved', 'reserved']);
    // The record has a version of its own.
    expect((await patch(pair.record, { target: PAGE })).status).toBe(200);
    expect((await step(pair.object, 'activate', {}, { 'if-match': '"1"' })).status).toBe(200);
    expect(await read(pair.record)).toMatchObject({ state: 'active', target: PAGE, version: 3 });
  });

  it('leaves a record that was activated or withdrawn before', async () => {
    const [early, gone] = [await pairWith(), await pairWith()];
    await step(early.record, 'activate');
    await step(gone.record, 'withdraw', { reason: 'It was a mistake.' });
    expect(await statesOf(early)).toEqual(['reserved', 'active']);
    expect((await step(early.object, 'activate', { metadataTarget: PAGE })).status).toBe(200);
    expect(await read(early.record)).toMatchObject({ state: 'active', target: PAGE, version: 3 });
    expect(await kinds(early.record)).toEqual(['reserved', 'activated', 'changed']);
    const rejected = await step(gone.object, 'activate', { metadataTarget: PAGE });
    expect([coded(rejected), rejected.body.errors[0].pointer]).toEqual([[409, 'WRONG_STATE'], '/metadataTarget']);
    expect((await step(gone.object, 'activate')).status).toBe(200);
    expect(await statesOf(gone)).toEqual(['active', 'withdrawn']);
  });

  it('with another metadata ID leaves the record reserved', async () => {
    const pair = await pairWith();
    const metadataId = freshPid();
    const rejected = await step(pair.object, 'activate', { metadataId, metadataTarget: PAGE });
    expect(coded(rejected)).toEqual([409, 'WRONG_STATE']);
    expect((await step(pair.object, 'activate', { metadataId })).status).toBe(200);
    expect(await statesOf(pair)).toEqual(['active', 'reserved']);
  });

  it('activates no record that is only named, also of the same request', async () => {
    const { body } = await service.client.post('/identifiers/batch', {
      ...{ namingAuthority: '100.102', items: [RESERVED, RESERVED, { ...RESERVED, mintMetadataId: true }] },
    });
    const [object, named, third] = body.items.map(({ identifier }: any) => identifier as string);
    expect((await patch(object, { metadataId: named })).status).toBe(200);
    expect(coded(await step(object, 'activate', { metadataTarget: PAGE }))).toEqual([409, 'WRONG_STATE']);
    expect((await step(object, 'activate')).status).toBe(200);
    expect((await read(named)).state).toBe('reserved');
    // A record that was minted with another object.
    const record = body.items[2].metadataRecord.identifier;
    const other = await mint(RESERVED);
    expect((await patch(third, { metadataId: null })).status).toBe(200);
    expect((await patch(other, { metadataId: record })).status).toBe(200);
    await step(other, 'activate');
    await step(third, 'activate');
    expect((await read(record)).state).toBe('reserved');
  });

  it('in a reservation activates no record that is only named', async () => {
    const { body } = await reserve({ count: 2 });
    const [object, named] = body.items as [string, string];
    expect((await patch(object, { metadataId: named })).status).toBe(200);
    const report = await service.client.post(`/reservations/${body.id}/activate`, { items: [object] });
    expect(report.body.activated).toBe(1);
    expect(await statesOf({ object, record: named })).toEqual(['active', 'reserved']);
  });
});

describe('the end of a reserved object', () => {
  it('by withdrawal ends its record with the same reason', async () => {
    const pair = await pairWith();
    const replacement = await mint();
    const body = { reason: 'The deposit was cancelled.', replacedBy: replacement };
    expect((await step(pair.object, 'withdraw', body)).status).toBe(200);
    expect((await read(pair.object)).tombstone).toMatchObject({ ...body, replacedBy: `hdl:${replacement}` });
    expect((await read(pair.record)).tombstone).toMatchObject({ reason: body.reason, replacedBy: null });
    expect(await kinds(pair.record)).toEqual(['reserved', 'withdrawn']);
    expect(await transactions(pair)).toBe(1);
  });

  it('by its lease ends both, in one transaction', async () => {
    const pair = await pairWith({ leaseUntil: inFuture(1500) });
    for (let i = 0; (await kinds(pair.object)).length < 2 && i < 100; i++) await new Promise((r) => setTimeout(r, 100));
    expect(await kinds(pair.object)).toEqual(['reserved', 'lapsed']);
    expect(await kinds(pair.record)).toEqual(['reserved', 'lapsed']);
    expect(await transactions(pair)).toBe(1);
  });

  it('by a Handle client of a sandbox ends both', async () => {
    const pair = await pairWith({ namingAuthority: '9000' });
    const deleted = await service.client.send('DELETE', `/api/handles/${pair.object}`, {});
    expect([deleted.status, deleted.body.responseCode]).toEqual([200, 1]);
    expect(await statesOf(pair)).toEqual(['withdrawn', 'withdrawn']);
    expect((await service.client.get(`/api/handles/${pair.record}`)).body.responseCode).toBe(100);
  });

  it('leaves a record that is active, and ends a reserved one that another identifier names too', async () => {
    const [early, shared] = [await pairWith(), await pairWith()];
    await step(early.record, 'activate');
    const other = await mint({ namingAuthority: '2000.01', metadataId: shared.record });
    for (const { object } of [early, shared]) await step(object, 'withdraw', { reason: 'Cancelled.' });
    expect(await statesOf(early)).toEqual(['withdrawn', 'active']);
    expect(await statesOf(shared)).toEqual(['withdrawn', 'withdrawn']);
    expect(await read(other)).toMatchObject({ state: 'active', metadataId: `hdl:${shared.record}`, version: 1 });
  });

  it('leaves a record that is only named', async () => {
    const named = await mint(RESERVED);
    const object = await mint({ ...RESERVED, metadataId: named });
    await step(object, 'withdraw', { reason: 'Cancelled.' });
    expect(await statesOf({ object, record: named })).toEqual(['withdrawn', 'reserved']);
  });

  it('is not the withdrawal of an active one, whose record stays active', async () => {
    const pair = await pairWith();
    await step(pair.object, 'activate');
    expect((await step(pair.object, 'withdraw', { reason: 'Deaccessioned.' })).status).toBe(200);
    expect(await statesOf(pair)).toEqual(['withdrawn', 'active']);
    expect((await read(pair.record)).version).toBe(2);
  });
});

describe('changes of an object and its record at the same time', () => {
  it('have one order, in which each version is written once', async () => {
    const pairs = await Promise.all(Array.from({ length: 8 }, () => pairWith()));
    const answers = await Promise.all(
      pairs.flatMap(({ object, record }, n) => [
        patch(record, { target: `${PAGE}?${n}` }),
        step(record, 'activate'),
        n % 2 === 0 ? step(object, 'activate') : step(object, 'withdraw', { reason: 'Cancelled.' }),
        change([{ identifier: record, alternateIds: [freshPid()] }]).then(() => ({ status: 200 })),
      ]),
    );
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    for (const [n, pair] of pairs.entries()) {
      const [object, record] = await statesOf(pair);
      expect(object).toBe(n % 2 === 0 ? 'active' : 'withdrawn');
      expect(n % 2 === 0 ? ['active'] : ['active', 'withdrawn']).toContain(record);
      const history = await service.client.get(`${pathOf(pair.record)}/history`);
      const versions = history.body.items.map(({ version }: any) => version as number);
      expect(versions).toEqual(versions.map((_: number, index: number) => index + 1));
    }
  });
});

describe('a stream of changes', () => {
  it('activates and ends records with their objects, and a dry run says the same', async () => {
    const [a, b] = [await pairWith(), await pairWith()];
    const lines = [
      { identifier: a.object, activate: true, metadataTarget: PAGE },
      { identifier: a.record, activate: true },
      { identifier: a.record, target: PAGE, ifVersion: 2 },
      { identifier: b.object, withdraw: { reason: 'Cancelled.' } },
      { identifier: b.record, target: PAGE },
    ];
    const bare = ({ line, status, outcome, version, problem }: any) => [line, status, outcome ?? problem.code, version];
    const expected = [
      [1, 200, 'changed', 2],
      [2, 409, 'WRONG_STATE', undefined],
      [3, 200, 'unchanged', 2],
      [4, 200, 'changed', 2],
      [5, 409, 'WRONG_STATE', undefined],
    ];
    expect((await change(lines, '?dryRun=true')).map(bare)).toEqual(expected);
    expect([...(await statesOf(a)), ...(await statesOf(b))]).toEqual(Array(4).fill('reserved'));
    expect((await change(lines)).map(bare)).toEqual(expected);
    expect([...(await statesOf(a)), ...(await statesOf(b))]).toEqual(['active', 'active', 'withdrawn', 'withdrawn']);
    expect(await read(a.record)).toMatchObject({ target: PAGE, version: 2 });
  });

  it('rejects metadataTarget where there is no record to give it to', async () => {
    const object = await mint(RESERVED);
    const active = await mint();
    for (const queryText of ['?dryRun=true', '']) {
      const lines = await change(
        [
          { identifier: object, activate: true, metadataTarget: PAGE },
          { identifier: active, metadataTarget: PAGE },
          { identifier: object, activate: true, metadataTarget: 'ftp://x.example/' },
        ],
        queryText,
      );
      expect(lines.map(({ status, problem }) => [status, problem.code, problem.errors[0].pointer])).toEqual([
        [409, 'WRONG_STATE', '/metadataTarget'],
        [400, 'INVALID_REQUEST', '/metadataTarget'],
        [400, 'INVALID_REQUEST', '/metadataTarget'],
      ]);
    }
    const csv = `identifier,activate,metadataTarget\n${(await pairWith()).object},true,${PAGE}\n`;
    const sent = await sendChanges(service.client, csv, { headers: { 'content-type': 'text/csv' } });
    const record = sent.lines[0].record.metadataId.slice(4);
    expect(await read(record)).toMatchObject({ state: 'active', target: PAGE });
  });
});

describe('metadataTarget of a mint', () => {
  it('is the target of the metadata record: alone, in a batch, in a stream, and in a repeat', async () => {
    const fields = { mintMetadataId: true, metadataTarget: PAGE };
    const key = { 'idempotency-key': randomUUID() };
    const single = await service.client.mint(fields, key);
    expect([single.status, single.body.target, single.body.metadataRecord.target]).toEqual([201, null, PAGE]);
    expect((await read(single.body.metadataRecord.identifier)).target).toBe(PAGE);
    const again = await service.client.mint(fields, key);
    expect(again.body.metadataRecord.identifier).toBe(single.body.metadataRecord.identifier);
    const other = await service.client.mint({ ...fields, metadataTarget: `${PAGE}/b` }, key);
    expect(coded(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);

    const items = [{ ...fields, alternateIds: [freshPid()] }, { mintMetadataId: true }, { target: PAGE }];
    const batch = await service.client.post('/identifiers/batch', { namingAuthority: '100.102', items });
    const targets = batch.body.items.map(({ record, metadataRecord }: any) => [record.target, metadataRecord?.target]);
    expect(targets).toEqual([
      [null, PAGE],
      [null, null],
      [PAGE, undefined],
    ]);
    const stream = await service.client.send(
      'POST',
      '/identifiers/bulk?namingAuthority=100.102',
      { 'content-type': 'application/x-ndjson' },
      JSON.stringify(fields),
    );
    expect((await read(stream.body.metadataRecord.identifier)).target).toBe(PAGE);
  });

  it('needs mintMetadataId and the format of a target', async () => {
    for (const fields of [
      { metadataTarget: PAGE },
      { metadataTarget: PAGE, metadataId: freshPid() },
      { metadataTarget: PAGE, mintMetadataId: false },
      { metadataTarget: 'ftp://x.example/', mintMetadataId: true },
    ]) {
      const rejected = await service.client.mint(fields);
      expect([coded(rejected), rejected.body.errors[0].pointer]).toEqual([[400, 'INVALID_REQUEST'], '/metadataTarget']);
    }
    const identifier = await mint();
    expect(coded(await patch(identifier, { metadataTarget: PAGE }))).toEqual([400, 'INVALID_REQUEST']);
  });
});
