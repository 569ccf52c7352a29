import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, ADMIN_KEY } from '../access/authorisation/credentials.js';
import { CSV, mintMany, ndjson, sendChanges } from '../harness/changes.js';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const send = (body: string, settings: { query?: string; headers?: Record<string, string> } = {}) =>
  sendChanges(service.client, body, settings);
const read = async (identifier: string) => (await service.client.get(`/identifiers/${identifier}`)).body;
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const url = (name: string) => `https://repo.example.org/${name}`;
const bare = (line: any) => [line.line, line.status, line.outcome ?? line.problem?.code];

describe('an Idempotency-Key', () => {
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID(), prefer: 'return=minimal' } });

  it('returns the first outcomes, also of rejections and when the identifiers changed later', async () => {
    const [a, b] = await mintMany(
      service.client,
      Array.from({ length: 101 }, () => ({})),
    );
    const all = await mintMany(
      service.client,
      Array.from({ length: 150 }, () => ({})),
    );
    const body = ndjson(
      { identifier: a, target: url('1') },
      { identifier: b, reinstate: true },
      ...all.map((identifier) => ({ identifier, target: url('1') })),
    );
    const settings = keyed();
    const first = await send(body, settings);
    expect(first.lines.map(({ outcome }) => outcome)).toEqual(['changed', undefined, ...all.map(() => 'changed')]);
    await send(ndjson({ identifier: a, target: url('2') }, { identifier: b, withdraw: { reason: 'x' } }));
    const again = await send(body, settings);
    expect(again.lines).toEqual(first.lines);
    expect(await read(a!)).toMatchObject({ target: url('2'), version: 3 });
    const whole = await send(body, { headers: { 'idempotency-key': settings.headers['idempotency-key'] } });
    expect(whole.lines[0]).toMatchObject({ outcome: 'changed', version: 2, record: { version: 3 } });
  });

  it('is equal for two notations of a change, and stores one row for a chunk', async () => {
    const [identifier] = await mintMany(service.client, [{}]);
    const settings = keyed();
    await send(ndjson({ identifier, target: url('1'), metadataId: 'info:hdl/20.1000/5' }), settings);
    const same = await send(
      ndjson({ target: url('1'), metadataId: 'hdl:20.1000/5', identifier: `hdl:${identifier}`, clientRef: 'x' }),
      settings,
    );
    expect(same.lines).toMatchObject([{ line: 1, clientRef: 'x', outcome: 'changed', version: 2 }]);
    const rows = await query<{ n: string }>(
      service.database.url,
      'SELECT count(*) AS n FROM request_part WHERE key = $1',
      [settings.headers['idempotency-key']],
    );
    expect(rows).toEqual([{ n: '1' }]);
    const csv = `identifier,metadataId,target\nhdl:${identifier},https://hdl.handle.net/20.1000/5,${url('1')}\n`;
    const shifted = await send(csv, { headers: { ...settings.headers, ...CSV } });
    // The header is line 1 of the CSV, so this is the first line with the number 2.
    expect(shifted.lines.map(bare)).toEqual([[2, 200, 'unchanged']]);
  });

  it('with other content of a line is 422 for that line, and changes nothing', async () => {
    const [a, b] = await mintMany(service.client, [{}, {}]);
    const settings = keyed();
    const first = { identifier: a, target: url('1') };
    await send(ndjson(first, { identifier: b, target: url('1') }), settings);
    const { lines } = await send(ndjson(first, { identifier: b, target: url('2') }), settings);
    expect(lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 422, 'IDEMPOTENCY_KEY_REUSED'],
    ]);
    expect([(await read(a!)).version, (await read(b!)).version]).toEqual([2, 2]);
  });

  it('with lines that the first request did not have changes them once, in the same chunk and in the next ones', async () => {
    const all = await mintMany(
      service.client,
      Array.from({ length: 205 }, () => ({})),
    );
    const settings = keyed();
    const line = (identifier: string) => `${JSON.stringify({ identifier, target: url('1') })}\n`;
    const whole = all.map(line);
    // The producer ended within line 131, but its request ended as a complete one.
    const cut = whole.slice(0, 130).join('') + line(all[130]!).replace(url('1'), url('')).trimEnd();
    expect((await send(cut, settings)).lines).toHaveLength(131);
    for (const repeat of [await send(whole.join(''), settings), await send(whole.join(''), settings)])
      expect(repeat.lines.map(bare)).toEqual(
        all.map((_, at) => (at === 130 ? [131, 422, 'IDEMPOTENCY_KEY_REUSED'] : [at + 1, 200, 'changed'])),
      );
    expect(await read(all[204]!)).toMatchObject({ target: url('1'), version: 2 });
    expect(await read(all[131]!)).toMatchObject({ target: url('1'), version: 2 });
  });

  it('of a file with more than 1 MiB in a hundred lines returns the outcomes of the lines, also after the first ones', async () => {
    const all = await mintMany(
      service.client,
      Array.from({ length: 30 }, () => ({})),
    );
    const alternates = (line: number) =>
      Array.from({ length: 90 }, (_, at) => `hdl:77.7/${line}-${at}-${'x'.repeat(580)}`);
    const lines = all.map((identifier, at) => ndjson({ identifier, alternateIds: alternates(at) }));
    const settings = keyed();
    expect((await send(lines.slice(0, 5).join(''), settings)).lines).toHaveLength(5);
    for (const repeat of [await send(lines.join(''), settings), await send(lines.join(''), settings)])
      expect(repeat.lines.map((line) => [...bare(line), line.version])).toEqual(
        all.map((_, at) => [at + 1, 200, 'changed', 2]),
      );
    const other = await send(lines.slice(0, 25).join('') + ndjson({ identifier: all[0], target: url('1') }), settings);
    expect(other.lines.map(bare).at(-1)).toEqual([26, 422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('with a line before those of the first request is 422 for that line', async () => {
    const [a, b] = await mintMany(service.client, [{}, {}]);
    const settings = keyed();
    const second = ndjson({ identifier: b, target: url('1') });
    await send(`\n${second}`, settings);
    const { lines } = await send(ndjson({ identifier: a, target: url('1') }) + second, settings);
    expect(lines.map(bare)).toEqual([
      [1, 422, 'IDEMPOTENCY_KEY_REUSED'],
      [2, 200, 'changed'],
    ]);
    expect((await read(a!)).version).toBe(1);
  });

  it('of a file that failed within a chunk returns the outcomes of the rows before, and the corrected rows are changed', async () => {
    const [a, b, c] = await mintMany(service.client, [{}, {}, {}]);
    const settings = keyed();
    const post = (rows: string) => send(`identifier,target\n${rows}`, { headers: { ...settings.headers, ...CSV } });
    const failed = await post(`${a},${url('1')}\n${b},"${url('1')}\n${c},${url('1')}\n`);
    expect(failed.lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 400, 'INVALID_REQUEST'],
    ]);
    expect(failed.lines[1]).toMatchObject({ final: true });
    expect(failed.lines[1].problem.detail).toContain('begins in line 3');
    await send(ndjson({ identifier: a, target: url('2') }));
    const corrected = `${a},${url('1')}\n${b},${url('1')}\n${c},${url('1')}\n`;
    for (const { lines } of [await post(corrected), await post(corrected)])
      expect(lines.map((line) => [...bare(line), line.version])).toEqual([2, 3, 4].map((n) => [n, 200, 'changed', 2]));
    expect(await read(a!)).toMatchObject({ target: url('2'), version: 3 });
  });

  it('of another request is 422, and one of a stream is 422 for other requests', async () => {
    const identifier = await mint();
    const settings = keyed();
    const headers = { 'idempotency-key': settings.headers['idempotency-key'] };
    await service.client.mint({}, headers);
    expect((await send(ndjson({ identifier, target: url('1') }), settings)).lines.map(bare)).toEqual([
      [1, 422, 'IDEMPOTENCY_KEY_REUSED'],
    ]);
    const other = keyed();
    const otherKey = { 'idempotency-key': other.headers['idempotency-key'] };
    await send(ndjson({ identifier, target: url('1') }), other);
    expect((await service.client.mint({}, otherKey)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const withdrawn = await service.client.post(`/identifiers/${identifier}/withdraw`, { reason: 'x' }, otherKey);
    expect(withdrawn.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await read(identifier)).version).toBe(2);
  });

  describe('of two clients', () => {
    let server: TestServer;
    /** Sends as "admin"; the others send as "anonymous". */
    let other: Client;

    beforeAll(async () => {
      const variables = { DATABASE_URL: service.database.url, ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY };
      server = await startServer(variables);
      other = new Client(server.url, service.na);
    });
    afterAll(() => server.stop());

    it('is two keys: each stream is made, and its repeat returns its own outcomes', async () => {
      const identifier = await mint();
      const { headers } = keyed();
      const body = (name: string) => ndjson({ identifier, target: url(name) });
      const byOther = { headers: { ...headers, ...ADMIN } };
      for (const version of [2, 3]) {
        const send = () =>
          version === 2 ? sendChanges(service.client, body('1'), { headers }) : sendChanges(other, body('2'), byOther);
        for (const made of [await send(), await send()]) {
          expect(made.lines).toMatchObject([{ status: 200, outcome: 'changed', version }]);
        }
      }
      expect((await sendChanges(service.client, body('1'), { headers })).lines).toMatchObject([{ version: 2 }]);
      expect(await read(identifier)).toMatchObject({ target: url('2'), version: 3 });
    });

    it('is two keys for a single change too, after a change or a batch of the other client', async () => {
      for (const used of ['withdraw', 'batch']) {
        const [first, second] = [await mint(), await mint()];
        const key = { 'idempotency-key': randomUUID() };
        const made =
          used === 'batch'
            ? await service.client.post('/identifiers/batch', { namingAuthority: service.na, items: [{}, {}] }, key)
            : await service.client.post(`/identifiers/${first}/withdraw`, { reason: 'x' }, key);
        const withdrawn = await other.post(`/identifiers/${second}/withdraw`, { reason: 'x' }, { ...key, ...ADMIN });
        const replayed = withdrawn.headers.get('idempotency-replayed');
        expect([used, made.status, withdrawn.status, replayed]).toEqual([used, 200, 200, null]);
        expect(withdrawn.body).toMatchObject({ identifier: second, state: 'withdrawn' });
      }
    });
  });
});
