import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ndjson, sendChanges } from '../harness/changes.js';
import { query, withoutTriggers } from '../harness/database.js';
import { freshGuid, freshPid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const send = (body: string, settings: { query?: string; headers?: Record<string, string> } = {}) =>
  sendChanges(service.client, body, settings);
const read = async (identifier: string) => (await service.client.get(`/identifiers/${identifier}`)).body;
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const url = (name: string) => `https://repo.example.org/${name}`;
const bare = (line: any) => [line.line, line.status, line.outcome ?? line.problem?.code];

describe('a stream of changes', () => {
  it('changes identifiers in any spelling, in order, and repeats clientRef', async () => {
    const [a, b, c] = [
      await mint(),
      await mint({ target: url('c') }),
      await mint({ target: url('x'), metadataId: freshPid() }),
    ];
    const lower = b.toLowerCase();
    const { status, lines } = await send(
      ndjson(
        { identifier: `hdl:${a}`, target: url('a'), clientRef: 'first' },
        { identifier: `https://hdl.handle.net/${lower}`, target: url('c') },
        { identifier: c, target: null, metadataId: null, alternateIds: [`info:fedora/demo:${lower.slice(-4)}`] },
      ),
    );
    expect(status).toBe(200);
    expect(lines).toMatchObject([
      { line: 1, clientRef: 'first', status: 200, outcome: 'changed', identifier: a, version: 2 },
      { line: 2, status: 200, outcome: 'unchanged', identifier: b, version: 1 },
      { line: 3, status: 200, outcome: 'changed', identifier: c, version: 2 },
    ]);
    expect(lines[1].clientRef).toBeNull();
    const { query: _, fragment: _none, ...record } = await read(a);
    expect(lines[0].record).toEqual(record);
    expect(await read(c)).toMatchObject({
      target: null,
      metadataId: null,
      alternateIds: [`info:fedora/demo:${lower.slice(-4)}`],
      version: 2,
    });
  });

  it('withdraws with a replacement, reinstates and activates', async () => {
    const [old, next] = [await mint(), await mint()];
    const leaseUntil = new Date(Date.now() + 600_000).toISOString();
    const reserved = await mint({ state: 'reserved', leaseUntil });
    const { lines } = await send(
      ndjson(
        {
          identifier: old,
          withdraw: { reasonCode: 'duplicate', reason: 'Deposited twice.', replacedBy: `hdl:${next}` },
        },
        { identifier: reserved, activate: true, target: url('now') },
      ),
    );
    expect(lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 200, 'changed'],
    ]);
    expect(lines[0].record.tombstone).toEqual({
      ...{ withdrawnAt: expect.any(String), reasonCode: 'duplicate' },
      ...{ reason: 'Deposited twice.', replacedBy: `hdl:${next}` },
    });
    expect(await read(reserved)).toMatchObject({ state: 'active', target: url('now'), leaseUntil: null, version: 2 });
    const again = await send(ndjson({ identifier: old, reinstate: true }));
    expect(again.lines.map(bare)).toEqual([[1, 200, 'changed']]);
    expect(await read(old)).toMatchObject({ state: 'active', tombstone: null, version: 3 });
    const { body } = await service.client.get(`/identifiers/${old}/history`);
    const kinds = (body.items ?? body.changes).map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(['minted', 'withdrawn', 'reinstated']);
  });

  it('with return=minimal has no records', async () => {
    const identifier = await mint();
    const { lines, headers } = await send(ndjson({ identifier, target: url('m') }), {
      headers: { prefer: 'return=minimal' },
    });
    expect(headers.get('preference-applied')).toBe('return=minimal');
    const old = { target: null };
    expect(lines).toEqual([{ line: 1, clientRef: null, status: 200, outcome: 'changed', identifier, version: 2, old }]);
  });

  it('sees what its earlier lines did, within and beyond a chunk', async () => {
    const [a, b] = [await mint({ metadataId: freshPid() }), await mint()];
    const { metadataId } = await read(a);
    const { lines } = await send(
      [
        ndjson({ identifier: b, metadataId }, { identifier: a, metadataId: null }, { identifier: b, metadataId }),
        '\n'.repeat(100),
        ndjson({ identifier: a, metadataId }, { identifier: a, target: url('1') }, { identifier: a, target: url('2') }),
      ].join(''),
    );
    expect(lines.map(bare)).toEqual([
      [1, 409, 'METADATA_ID_TAKEN'],
      [2, 200, 'changed'],
      [3, 200, 'changed'],
      [104, 409, 'METADATA_ID_TAKEN'],
      [105, 200, 'changed'],
      [106, 200, 'changed'],
    ]);
    expect(lines[0].problem).toMatchObject({ existing: `/identifiers/${a}`, errors: [{ pointer: '/metadataId' }] });
    expect([lines[4].version, lines[5].version]).toEqual([3, 4]);
    expect(await read(a)).toMatchObject({ metadataId: null, target: url('2'), version: 4 });
    expect(await read(b)).toMatchObject({ metadataId, version: 2 });
  });

  it('swaps names of two identifiers through a third line', async () => {
    const [one, two] = [freshPid(), freshPid()];
    const [a, b] = [
      await mint({ metadataId: one, alternateIds: [one] }),
      await mint({ metadataId: two, alternateIds: [two] }),
    ];
    const { lines } = await send(
      ndjson(
        { identifier: a, metadataId: null, alternateIds: [] },
        { identifier: b, metadataId: one, alternateIds: [one] },
        { identifier: a, metadataId: two, alternateIds: [two] },
      ),
    );
    expect(lines.map(bare)).toEqual([1, 2, 3].map((line) => [line, 200, 'changed']));
    expect(await read(a)).toMatchObject({ metadataId: two, alternateIds: [two] });
    expect(await read(b)).toMatchObject({ metadataId: one, alternateIds: [one] });
  });

  it.each([
    ['metadata ID', 'METADATA_ID_TAKEN', (name: string) => ({ metadataId: name })],
    ['alternate', 'ALTERNATE_ID_TAKEN', (name: string) => ({ alternateIds: [name] })],
  ])('takes a name of a reservation whose lease has ended: %s', async (_, code, valuesOf) => {
    const values = valuesOf(freshPid());
    const reserved = await mint({ ...values, state: 'reserved', leaseUntil: '2099-01-01T00:00:00Z' });
    const identifier = await mint();
    const body = ndjson({ identifier, ...values });
    expect((await send(body)).lines.map(bare)).toEqual([[1, 409, code]]);
    await query(
      withoutTriggers(service.database.url),
      `UPDATE identifier SET lease_until = now() - interval '1 second' WHERE guid = $1::uuid`,
      [reserved.split('/')[1]],
    );
    expect((await send(body, { query: '?dryRun=true' })).lines.map(bare)).toEqual([[1, 200, 'changed']]);
    expect((await send(body)).lines.map(bare)).toEqual([[1, 200, 'changed']]);
    expect(await read(identifier)).toMatchObject(values);
    expect((await service.client.get(`/identifiers/${reserved}`)).status).toBe(410);
  });
});

describe('a line that is rejected', () => {
  const cases: [string, object | string, number, string, string | undefined][] = [
    ['is not JSON', '{', 400, 'MALFORMED_JSON', undefined],
    ['is a list', '[]', 400, 'INVALID_REQUEST', undefined],
    ['has no identifier', { target: url('x') }, 400, 'INVALID_REQUEST', '/identifier'],
    ['has an unknown member', { identifier: 'ID', url: 'x' }, 400, 'INVALID_REQUEST', '/url'],
    ['has a malformed identifier', { identifier: 'NA/nothing' }, 400, 'INVALID_GUID', '/identifier'],
    ['has an unknown identifier', { identifier: `NA/${freshGuid()}` }, 404, 'IDENTIFIER_NOT_FOUND', '/identifier'],
    ['has a foreign identifier', { identifier: '20.1000/5' }, 404, 'IDENTIFIER_NOT_FOUND', '/identifier'],
    ['has a target of another scheme', { identifier: 'ID', target: 'ftp://x/' }, 400, 'INVALID_REQUEST', '/target'],
    ['has a malformed metadata ID', { identifier: 'ID', metadataId: 'x y' }, 400, 'NOT_RECOGNIZED', '/metadataId'],
    [
      'has itself as its metadata ID',
      { identifier: 'ID', metadataId: 'ID' },
      422,
      'METADATA_ID_IS_IDENTIFIER',
      '/metadataId',
    ],
    [
      'has another version',
      { identifier: 'ID', target: url('x'), ifVersion: 7 },
      412,
      'PRECONDITION_FAILED',
      '/ifVersion',
    ],
    ['has a version 0', { identifier: 'ID', ifVersion: 0 }, 400, 'INVALID_REQUEST', '/ifVersion'],
    ['withdraws without a reason', { identifier: 'ID', withdraw: {} }, 400, 'INVALID_REQUEST', '/withdraw/reason'],
    [
      'withdraws with a reason code of the service',
      { identifier: 'ID', withdraw: { reasonCode: 'deleted', reason: 'x' } },
      422,
      'RESERVED_REASON_CODE',
      '/withdraw/reasonCode',
    ],
    [
      'withdraws with an unknown reason code',
      { identifier: 'ID', withdraw: { reasonCode: 'Error', reason: 'x' } },
      400,
      'INVALID_REQUEST',
      '/withdraw/reasonCode',
    ],
    [
      'is replaced by itself',
      { identifier: 'ID', withdraw: { reason: 'x', replacedBy: 'ID' } },
      422,
      'REPLACEMENT_NOT_FOUND',
      '/withdraw/replacedBy',
    ],
    [
      'withdraws and sets a target',
      { identifier: 'ID', withdraw: { reason: 'x' }, target: url('x') },
      400,
      'INVALID_REQUEST',
      '/target',
    ],
    [
      'withdraws and reinstates',
      { identifier: 'ID', withdraw: { reason: 'x' }, reinstate: true },
      400,
      'INVALID_REQUEST',
      '/reinstate',
    ],
    ['reinstates an active one', { identifier: 'ID', reinstate: true }, 409, 'WRONG_STATE', undefined],
    ['activates an active one', { identifier: 'ID', activate: true }, 409, 'WRONG_STATE', undefined],
  ];
  it.each(cases)(
    'because it %s does not stop the others, and a dry run rejects it too',
    async (_, line, status, code, pointer) => {
      const [identifier, other] = [await mint(), await mint()];
      const text = (typeof line === 'string' ? line : JSON.stringify(line))
        .replaceAll('"ID"', `"${identifier}"`)
        .replaceAll('"NA/', `"${service.na}/`);
      const body = `${text}\n${ndjson({ identifier: other, target: url('other') })}`;
      for (const query of ['?dryRun=true', '']) {
        const { lines } = await send(body, { query });
        expect(lines.map(bare)).toEqual([
          [1, status, code],
          [2, 200, 'changed'],
        ]);
        expect(lines[0].problem).toMatchObject({ code, status, instance: '/identifiers/changes' });
        if (pointer !== undefined) expect(lines[0].problem.errors[0].pointer).toBe(pointer);
      }
      expect((await read(identifier)).version).toBe(1);
      expect((await read(other)).version).toBe(2);
    },
  );

  it('because a withdrawn identifier is not changed has 409', async () => {
    const identifier = await mint();
    await send(ndjson({ identifier, withdraw: { reason: 'x' } }));
    const { lines } = await send(ndjson({ identifier, target: url('x') }));
    expect(lines.map(bare)).toEqual([[1, 409, 'WRONG_STATE']]);
  });

  it('names its identifier where that was found, also when it is repeated', async () => {
    const identifier = await mint();
    const body = ndjson(
      { identifier: `hdl:${identifier}`, ifVersion: 7 },
      { identifier: `${service.na}/${'0'.repeat(32)}` },
    );
    const headers = { 'idempotency-key': randomUUID() };
    for (const settings of [{ query: '?dryRun=true' }, { headers }, { headers }]) {
      const { lines } = await send(body, settings);
      expect(lines.map((line) => [line.status, line.identifier])).toEqual([
        [412, identifier],
        [404, undefined],
      ]);
    }
  });

  it('because it is too long has 413, and long lines of a large chunk are read', async () => {
    const identifier = await mint();
    const long = Array.from({ length: 20 }, () => ({
      identifier,
      alternateIds: [`info:fedora/demo:${'x'.repeat(60_000)}`],
    }));
    const { lines } = await send(`{"identifier":"${'x'.repeat(70_000)}"}\n${ndjson(...long)}`);
    expect(lines[0]).toMatchObject({ line: 1, status: 413, problem: { code: 'BODY_TOO_LARGE' } });
    expect(lines[1]).toMatchObject({ line: 2, status: 400, problem: { code: 'INVALID_REQUEST' } });
    expect(lines[20]).toMatchObject({ line: 21, status: 400, problem: { code: 'INVALID_REQUEST' } });
  });
});

describe('a request', () => {
  it.each([
    ['a map with NDJSON', '?columns=a:target', {}, 400, 'INVALID_REQUEST'],
    ['another value of dryRun', '?dryRun=yes', {}, 400, 'INVALID_REQUEST'],
    ['JSON', '', { 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a malformed key', '', { 'idempotency-key': '"' }, 400, 'INVALID_IDEMPOTENCY_KEY'],
  ])('with %s is rejected', async (_, query, headers, status, code) => {
    const answer = await send('{}\n', { query, headers: headers });
    expect([answer.status, answer.lines[0].code]).toEqual([status, code]);
  });

  it('without lines has no results', async () => {
    expect(await send('\n\n')).toMatchObject({ status: 200, lines: [] });
  });
});
