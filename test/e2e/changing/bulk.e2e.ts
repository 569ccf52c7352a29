import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { CSV, mintMany, ndjson, sendChanges } from '../harness/changes.js';
import { freshGuid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';

let sql: pg.Client;
// Before the database is dropped.
afterAll(() => sql.end());
const service = useService();
const send = (body: string, settings: { query?: string; headers?: Record<string, string> } = {}) =>
  sendChanges(service.client, body, settings);
const read = async (identifier: string) => (await service.client.get(`/identifiers/${identifier}`)).body;
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const url = (name: string) => `https://repo.example.org/${name}`;
/** A metadata ID that no other identifier has. */
const freshName = () => `info:fedora/demo:${randomUUID().slice(0, 8)}`;
const bare = (line: any) => [line.line, line.status, line.outcome ?? line.problem?.code];

beforeAll(async () => {
  sql = new pg.Client({ connectionString: service.database.url });
  await sql.connect();
});

describe('a stream of changes', () => {
  it('changes identifiers in any spelling, in order, and repeats clientRef', async () => {
    const [a, b, c] = [
      await mint(),
      await mint({ target: url('c') }),
      await mint({ target: url('x'), metadataId: freshName() }),
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
      { line: 2, status: 200, outcome: 'same', identifier: b, version: 1 },
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
        { identifier: old, withdraw: { reason: 'Deposited twice.', replacedBy: `hdl:${next}` } },
        { identifier: reserved, activate: true, target: url('now') },
      ),
    );
    expect(lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 200, 'changed'],
    ]);
    expect(lines[0].record.tombstone).toMatchObject({ reason: 'Deposited twice.', replacedBy: next });
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
    expect(lines).toEqual([{ line: 1, clientRef: null, status: 200, outcome: 'changed', identifier, version: 2 }]);
  });

  it('sees what its earlier lines did, within and beyond a chunk', async () => {
    const [a, b] = [await mint({ metadataId: freshName() }), await mint()];
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
    const [one, two] = [freshName(), freshName()];
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

  it('takes a name of a reservation whose lease has ended', async () => {
    const metadataId = freshName();
    const reserved = await mint({
      metadataId,
      state: 'reserved',
      leaseUntil: '2099-01-01T00:00:00Z',
    });
    const identifier = await mint();
    expect((await send(ndjson({ identifier, metadataId }))).lines.map(bare)).toEqual([[1, 409, 'METADATA_ID_TAKEN']]);
    await sql.query(`UPDATE identifier SET lease_until = now() - interval '1 second' WHERE guid = $1::uuid`, [
      reserved.slice(8),
    ]);
    expect((await send(ndjson({ identifier, metadataId }), { query: '?dryRun=true' })).lines.map(bare)).toEqual([
      [1, 200, 'changed'],
    ]);
    expect((await send(ndjson({ identifier, metadataId }))).lines.map(bare)).toEqual([[1, 200, 'changed']]);
    expect((await service.client.get(`/identifiers/${reserved}`)).status).toBe(410);
  });
});

describe('a line that is refused', () => {
  const cases: [string, object | string, number, string, string | undefined][] = [
    ['is not JSON', '{', 400, 'MALFORMED_JSON', undefined],
    ['is a list', '[]', 400, 'INVALID_REQUEST', undefined],
    ['has no identifier', { target: url('x') }, 400, 'INVALID_REQUEST', '/identifier'],
    ['has an unknown member', { identifier: 'ID', url: 'x' }, 400, 'INVALID_REQUEST', '/url'],
    ['has a malformed identifier', { identifier: '100.102/nothing' }, 400, 'INVALID_GUID', '/identifier'],
    ['has an unknown identifier', { identifier: `100.102/${freshGuid()}` }, 404, 'IDENTIFIER_NOT_FOUND', '/identifier'],
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
      'withdraws as a Handle client',
      { identifier: 'ID', withdraw: { reason: 'The Handle was deleted.' } },
      400,
      'INVALID_REQUEST',
      '/withdraw/reason',
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
    'because it %s does not stop the others, and a dry run refuses it too',
    async (_, line, status, code, pointer) => {
      const [identifier, other] = [await mint(), await mint()];
      const text = (typeof line === 'string' ? line : JSON.stringify(line)).replaceAll('"ID"', `"${identifier}"`);
      const body = `${text}\n${ndjson({ identifier: other, target: url('other') })}`;
      for (const query of ['?dryRun=true', '']) {
        const { lines } = await send(body, { query });
        expect(lines.map(bare)).toEqual([
          [1, status, { 404: query === '' ? code : 'unknown' }[status] ?? code],
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

  it('because it is too long, or its chunk is, has 400 or 413', async () => {
    const identifier = await mint();
    const long = Array.from({ length: 20 }, () => ({
      identifier,
      alternateIds: [`info:fedora/demo:${'x'.repeat(60_000)}`],
    }));
    const { lines } = await send(`{"identifier":"${'x'.repeat(70_000)}"}\n${ndjson(...long)}`);
    expect(lines[0]).toMatchObject({ line: 1, status: 413, problem: { code: 'BODY_TOO_LARGE' } });
    expect(lines[1]).toMatchObject({ line: 2, status: 400, problem: { code: 'INVALID_REQUEST' } });
    expect(lines[20]).toMatchObject({ line: 21, status: 413, problem: { code: 'BODY_TOO_LARGE' } });
  });
});

describe('a dry run', () => {
  /** The rows of all tables that a change writes, and the number of the next transaction. */
  const written = async () =>
    (
      await sql.query<Record<string, string>>(
        `SELECT (SELECT count(*) FROM change) AS changes, (SELECT sum(version) FROM identifier) AS versions,
                (SELECT count(*) FROM request) AS requests, (SELECT count(*) FROM request_part) AS parts,
                (SELECT count(*) FROM alternate_identifier) AS alternates, pg_snapshot_xmax(pg_current_snapshot()) AS next`,
      )
    ).rows[0];

  it('returns old and new values, and writes nothing', async () => {
    const [name, other] = [freshName(), freshName()];
    const identifier = await mint({ target: url('old'), metadataId: name });
    const reserved = await mint({ state: 'reserved', leaseUntil: '2099-01-01T00:00:00Z' });
    const before = await written();
    const { status, lines } = await send(
      ndjson(
        { identifier, target: url('new'), metadataId: name, alternateIds: [other] },
        { identifier, target: url('new') },
        { identifier, metadataId: null, ifVersion: 2 },
        { identifier, withdraw: { reason: 'Gone.' } },
        { identifier: reserved, activate: true },
      ),
      { query: '?dryRun=true', headers: { 'idempotency-key': randomUUID() } },
    );
    expect(status).toBe(200);
    const common = { clientRef: null, status: 200, outcome: 'changed', identifier };
    expect(lines).toEqual([
      {
        ...{ line: 1, ...common, version: 2 },
        old: { target: url('old'), alternateIds: [] },
        new: { target: url('new'), alternateIds: [other] },
      },
      { line: 2, ...common, outcome: 'same', version: 2 },
      { line: 3, ...common, version: 3, old: { metadataId: name }, new: { metadataId: null } },
      {
        ...{ line: 4, ...common, version: 4 },
        old: { state: 'active', withdrawalReason: null },
        new: { state: 'withdrawn', withdrawalReason: 'Gone.' },
      },
      {
        ...{ line: 5, ...common, identifier: reserved, version: 2 },
        old: { state: 'reserved', leaseUntil: '2099-01-01T00:00:00.000Z' },
        new: { state: 'active', leaseUntil: null },
      },
    ]);
    expect(await written()).toEqual(before);
  });

  it('finds names that two lines give, also in different chunks', async () => {
    const [a, b, c, d] = await mintMany(service.client, [{}, {}, {}, {}]);
    const [name, alternate] = [freshName(), freshName()];
    const file = [
      ndjson({ identifier: a, metadataId: name }, { identifier: b, metadataId: name }),
      '\n'.repeat(200),
      ndjson({ identifier: c, metadataId: name }, { identifier: a, metadataId: null, alternateIds: [alternate] }),
      '\n'.repeat(100),
      ndjson({ identifier: c, metadataId: name }, { identifier: d, alternateIds: [alternate] }),
    ].join('');
    const { lines } = await send(file, { query: '?dryRun=true' });
    expect(lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 409, 'METADATA_ID_TAKEN'],
      [203, 409, 'METADATA_ID_TAKEN'],
      [204, 200, 'changed'],
      [305, 200, 'changed'],
      [306, 409, 'ALTERNATE_ID_TAKEN'],
    ]);
    expect((await send(file)).lines.map(bare)).toEqual(lines.map(bare));
  });

  it('releases the names that earlier chunks gave, and not those that other identifiers have got', async () => {
    const names = Array.from({ length: 3 }, freshName);
    const [x, y, z] = await mintMany(
      service.client,
      names.map((metadataId) => ({ metadataId })),
    );
    const [first, second] = [freshName(), freshName()];
    const file = [
      ndjson({ identifier: x, metadataId: first }, { identifier: y, metadataId: names[0] }),
      '\n'.repeat(98),
      ndjson({ identifier: x, metadataId: second }),
      ndjson({ identifier: z, metadataId: names[0] }, { identifier: z, metadataId: first }),
    ].join('');
    const dry = await send(file, { query: '?dryRun=true' });
    expect(dry.lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 200, 'changed'],
      [101, 200, 'changed'],
      [102, 409, 'METADATA_ID_TAKEN'],
      [103, 200, 'changed'],
    ]);
    expect((await send(file)).lines.map(bare)).toEqual(dry.lines.map(bare));
  });
});

describe('CSV', () => {
  it.each([
    ['commas', ',', ''],
    ['semicolons', ';', ''],
    ['tabs', '\t', '\ufeff'],
  ])('with %s is read, and an empty cell sets nothing', async (_, delimiter, mark) => {
    const name = freshName();
    const [a, b] = [await mint({ target: url('a'), alternateIds: [name] }), await mint({ target: url('b') })];
    const rows = [
      ['Identifier', 'TARGET', 'alternateIds', 'withdrawalReason', 'ifVersion', 'clientRef'],
      [a, url('new'), '', '', '1', 'r1'],
      [`hdl:${b}`, '', '', 'Deposited twice.', '', ''],
      [a, '', `${freshName()} ${freshName()}`, '', '', ''],
      [a, '', '', '', '', ''],
    ];
    const body = mark + rows.map((row) => row.map((cell) => `"${cell}"`).join(delimiter)).join('\r\n');
    const { lines } = await send(body, { headers: CSV });
    expect(lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 200, 'changed'],
      [4, 200, 'changed'],
      [5, 200, 'same'],
    ]);
    expect(lines[0].clientRef).toBe('r1');
    const changed = await read(a);
    expect(changed).toMatchObject({ target: url('new'), version: 3 });
    expect(changed.alternateIds).toHaveLength(2);
    expect((await service.client.get(`/identifiers/${b}`)).status).toBe(410);
  });

  it('reads truth values of spreadsheets, and removes the apostrophes of an export', async () => {
    const leaseUntil = new Date(Date.now() + 600_000).toISOString();
    const [a, b] = [await mint({ state: 'reserved', leaseUntil }), await mint()];
    const { lines } = await send(`identifier,activate,withdrawalReason\n${a},TRUE,\n${b},FALSE,'=Gone\n`, {
      headers: CSV,
    });
    expect(lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 200, 'changed'],
    ]);
    expect(lines[1].record.tombstone.reason).toBe('=Gone');
  });

  it('with other names of columns is read by a map', async () => {
    const identifier = await mint({ target: url('old') });
    const body = `PID;target;New: URL;Note\n${identifier};${url('no')};${url('new')};x\n`;
    const columns = encodeURIComponent('pid:identifier,New: URL:target,*:ignore');
    const { lines } = await send(body, { headers: CSV, query: `?columns=${columns}` });
    expect(lines.map(bare)).toEqual([[2, 200, 'changed']]);
    expect((await read(identifier)).target).toBe(url('new'));
  });

  it('of an export is read with the version as the condition', async () => {
    const namingAuthority = '2000.01';
    const minted = await service.client.mint({ namingAuthority, target: url('old') });
    const { identifier } = minted.body;
    const query = `?columns=${encodeURIComponent('identifier:identifier,target:target,version:ifVersion,*:ignore')}`;
    const exported = await fetch(`${service.client.base}/identifiers/export?namingAuthority=${namingAuthority}`, {
      headers: { accept: 'text/csv' },
    });
    const body = (await exported.text()).replaceAll('/old', '/new');
    const { lines } = await send(body, { headers: CSV, query });
    expect(lines.map(bare)).toEqual([[2, 200, 'changed']]);
    const again = await send(body, { headers: CSV, query });
    expect(again.lines.map(bare)).toEqual([[2, 412, 'PRECONDITION_FAILED']]);
    expect((await read(identifier)).target).toBe(url('new'));
  });

  it.each([
    ['an unknown column', 'PID,target\n', '', 'columns=PID:ignore'],
    ['a missing identifier', 'target\n', '', 'the column "identifier" is missing'],
    ['two columns of one member', 'identifier,target,Target\n', '', 'two columns are "target"'],
    ['a map of a column that it lacks', 'identifier,target\n', 'URL:target', 'it has no column "url"'],
    ['a map to an unknown member', 'identifier\n', 'identifier:guid', 'has no such member'],
    ['a map without a colon', 'identifier\n', 'identifier', 'must be "column:member"'],
    ['a map of all others to a member', 'identifier\n', '*:target', 'can only be "*:ignore"'],
    ['nothing', '', '', 'it is empty'],
  ])('with %s is 400 before any line', async (_, body, columns, detail) => {
    const query = columns === '' ? '' : `?columns=${encodeURIComponent(columns)}`;
    const { status, lines } = await send(body, { headers: CSV, query });
    expect([status, lines[0].code]).toEqual([400, 'INVALID_REQUEST']);
    expect(lines[0].detail).toContain(detail);
  });
});

describe('a request', () => {
  it.each([
    ['a map with NDJSON', '?columns=a:target', {}, 400, 'INVALID_REQUEST'],
    ['another value of dryRun', '?dryRun=yes', {}, 400, 'INVALID_REQUEST'],
    ['JSON', '', { 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a malformed key', '', { 'idempotency-key': '"' }, 400, 'INVALID_IDEMPOTENCY_KEY'],
  ])('with %s is refused', async (_, query, headers, status, code) => {
    const answer = await send('{}\n', { query, headers: headers });
    expect([answer.status, answer.lines[0].code]).toEqual([status, code]);
  });

  it('without lines has no results', async () => {
    expect(await send('\n\n')).toMatchObject({ status: 200, lines: [] });
  });
});

describe('an Idempotency-Key', () => {
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID(), prefer: 'return=minimal' } });

  it('returns the first outcomes, also of refusals and when the identifiers changed later', async () => {
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
    const csv = `identifier,metadataId,target\nhdl:${identifier},https://hdl.handle.net/20.1000/5,${url('1')}\n`;
    const shifted = await send(csv, { headers: { ...settings.headers, ...CSV } });
    // The header is line 1 of the CSV.
    expect(shifted.lines.map(bare)).toEqual([[2, 422, 'IDEMPOTENCY_KEY_REUSED']]);
    const same = await send(
      ndjson({ target: url('1'), metadataId: 'hdl:20.1000/5', identifier: `hdl:${identifier}`, clientRef: 'x' }),
      settings,
    );
    expect(same.lines).toMatchObject([{ line: 1, clientRef: 'x', outcome: 'changed', version: 2 }]);
    const { rows } = await sql.query<{ n: string }>('SELECT count(*) AS n FROM request_part WHERE key = $1', [
      settings.headers['idempotency-key'],
    ]);
    expect(rows).toEqual([{ n: '1' }]);
  });

  it('with other content of a line is 422 for that line, and changes nothing', async () => {
    const [a, b] = await mintMany(service.client, [{}, {}]);
    const settings = keyed();
    const first = { identifier: a, target: url('1') };
    await send(ndjson(first, { identifier: b, target: url('1') }), settings);
    const { lines } = await send(
      ndjson(first, { identifier: b, target: url('2') }, { identifier: a, target: url('3') }),
      settings,
    );
    expect(lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 422, 'IDEMPOTENCY_KEY_REUSED'],
      [3, 422, 'IDEMPOTENCY_KEY_REUSED'],
    ]);
    expect([(await read(a!)).version, (await read(b!)).version]).toEqual([2, 2]);
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
});
