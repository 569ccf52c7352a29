import { describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { freshGuid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useService();
const send = (body: string, type = 'application/x-ndjson') =>
  sendLines(`${service.server.url}/identifiers/import`, body, { 'content-type': type });

describe('POST /identifiers/import', () => {
  const whole = {
    ...{ identifier: '100.102/00000000000040008000000000000002', state: 'active', version: 1 },
    ...{ createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-01T00:00:00.000Z' },
  };
  it.each([
    ['no member but the needed ones', {}, 201, undefined],
    [
      'an unknown naming authority',
      { identifier: '99.9/00000000000040008000000000000002' },
      422,
      'UNKNOWN_NAMING_AUTHORITY',
    ],
    ['a local name that is not a GUID', { identifier: '100.102/XYZ' }, 400, 'INVALID_GUID'],
    ['a Fedora PID', { identifier: 'demo:1' }, 422, 'UNKNOWN_NAMING_AUTHORITY'],
    ['a lease of an active one', { leaseUntil: '2126-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['a reserved one without lease', { state: 'reserved' }, 400, 'INVALID_REQUEST'],
    ['a withdrawn one without tombstone', { state: 'withdrawn' }, 400, 'INVALID_REQUEST'],
    [
      'an unknown reason code',
      { state: 'withdrawn', tombstone: { withdrawnAt: '2020-01-01T00:00:00Z', reasonCode: 'lost', reason: 'x' } },
      400,
      'INVALID_REQUEST',
    ],
    ['a change before the mint', { updatedAt: '2019-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['a day that does not exist', { createdAt: '2019-02-31T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['version 0', { version: 0 }, 400, 'INVALID_REQUEST'],
    [
      'itself as metadata ID',
      { metadataId: 'hdl:100.102/00000000000040008000000000000002' },
      422,
      'METADATA_ID_IS_IDENTIFIER',
    ],
    [
      'U+0000 in a reason',
      { state: 'withdrawn', tombstone: { withdrawnAt: '2020-01-01T00:00:00Z', reason: 'a\0b' } },
      400,
      'INVALID_REQUEST',
    ],
    [
      'a lone surrogate in a reason',
      { state: 'withdrawn', tombstone: { withdrawnAt: '2020-01-01T00:00:00Z', reason: '\ud800' } },
      400,
      'INVALID_REQUEST',
    ],
    ['an unknown member', { owner: 'me' }, 400, 'INVALID_REQUEST'],
    ['a script as target', { target: 'javascript:alert(1)' }, 400, 'INVALID_REQUEST'],
  ])('returns %s', async (_, change, status, code) => {
    const results = await send(`${JSON.stringify({ ...whole, ...change })}\n`);
    expect(results.map((each) => [each.line, each.status, each.problem?.code])).toEqual([[1, status, code]]);
  });

  it.each([
    ['other columns', 'a,b\r\n1,2\r\n', '"a" is not a column'],
    ['a column twice', 'identifier,state,State\r\n1,2,3\r\n', 'two columns are "state"'],
    ['no identifiers', 'target\r\nhttps://repo.example.org/1\r\n', '"identifier" is missing'],
    ['no byte', '', 'it is empty'],
    ['empty lines only', '\r\n\r\n', 'it is empty'],
    ['a header that never ends', `"identifier${'x'.repeat(300_000)}`, 'its first row is longer than 262144 bytes'],
    ['a byte order mark only', '\ufeff', 'it is empty'],
  ])('rejects a CSV file with %s with 400, and lists the columns', async (_, csv, detail) => {
    const answer = await fetch(`${service.server.url}/identifiers/import`, {
      ...{ method: 'POST', headers: { 'content-type': 'text/csv' }, body: csv },
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem: any = await answer.json();
    expect(problem).toMatchObject({ code: 'INVALID_REQUEST', detail: expect.stringContaining(detail) });
    expect(problem.detail).toContain('identifier, metadataId, target, language, state');
  });

  it('answers the rejection of a header to a client that sends a large file before it reads', async () => {
    const answer = await fetch(`${service.server.url}/identifiers/import`, {
      ...{ method: 'POST', headers: { 'content-type': 'text/csv' }, body: `a,b\n${'1,2\n'.repeat(1_000_000)}` },
    });
    expect([answer.status, ((await answer.json()) as any).code]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('ends with a line that says what is wrong with a CSV file that is none behind its header', async () => {
    for (const csv of ['identifier,state\r\n"x', 'identifier,state\r\nonly one\r\n']) {
      const [result, ...more] = await send(csv, 'text/csv');
      expect([result.status, result.problem.code, more.length]).toEqual([400, 'INVALID_REQUEST', 0]);
    }
  });

  it.each(['application/json', 'text/plain', 'application/x-ndjson; charset=latin1'])(
    'rejects %s with 415, and imports nothing',
    async (type) => {
      const identifier = `100.102/${freshGuid()}`;
      const line = `${JSON.stringify({ ...whole, identifier })}\n`;
      const rejected = await service.client.send('POST', '/identifiers/import', { 'content-type': type }, line);
      expect(coded(rejected)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      expect((await service.client.get(`/identifiers/${identifier}`)).status).toBe(404);
      expect((await send(line)).map(({ outcome }) => outcome)).toEqual(['imported']);
    },
  );

  it('names the line of the file where a row of a CSV ends', async () => {
    const csv =
      'identifier,state,version,createdAt,updatedAt\r\n100.102/bad,active,1,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z\r\n\r\n100.102/bad,active,1,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z\r\n';
    expect((await send(csv, 'text/csv')).map(({ line }) => line)).toEqual([2, 4]);
  });
});

describe('a line of an import with members of the wrong type', () => {
  const line = (change: object = {}) => ({
    ...{ identifier: `100.102/${freshGuid()}`, state: 'active', version: 1 },
    ...{ createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-01T00:00:00.000Z', ...change },
  });
  const ndjson = (lines: readonly object[]) => lines.map((each) => `${JSON.stringify(each)}\n`).join('');

  it('is rejected with 400, and the lines after it are imported', async () => {
    const tombstone = { withdrawnAt: '2020-01-01T00:00:00Z', reason: 'a duplicate' };
    const wrong = [
      { state: 'withdrawn', tombstone: [] },
      { state: 'withdrawn', tombstone: [tombstone] },
      { alternateIds: [null] },
      { state: 'withdrawn', tombstone: { ...tombstone, replacedBy: [] } },
      { version: [1] },
    ];
    const results = await send(ndjson([...wrong.map(line), line()]));
    expect(results.map(({ status, problem }) => [status, problem?.code])).toEqual([
      ...wrong.map(() => [400, 'INVALID_REQUEST']),
      [201, undefined],
    ]);
  });

  it('whose insert fails unforeseen gets 500, and the other lines of its chunk are imported', async () => {
    // A trigger represents rejections of the database alone.
    await query(
      service.database.url,
      `CREATE FUNCTION reject_one() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.target LIKE '%rejected%' THEN RAISE EXCEPTION 'unforeseen'; END IF; RETURN NEW; END $$`,
    );
    await query(
      service.database.url,
      'CREATE TRIGGER reject_one BEFORE INSERT ON identifier FOR EACH ROW EXECUTE FUNCTION reject_one()',
    );
    const lines = Array.from({ length: 600 }, (_, index) =>
      line({ target: `https://repo.example.org/${index === 3 || index === 321 ? 'rejected' : index}` }),
    );
    const results = await send(ndjson(lines));
    expect(results.map(({ line: number }) => number)).toEqual(lines.map((_, index) => index + 1));
    expect(results.filter(({ status }) => status !== 201).map((each) => [each.line, each.problem?.code])).toEqual([
      [4, 'INTERNAL_ERROR'],
      [322, 'INTERNAL_ERROR'],
    ]);
    await query(service.database.url, 'DROP TRIGGER reject_one ON identifier');
    expect((await send(ndjson(lines))).filter(({ status }) => status === 201)).toHaveLength(2);
  });
});

describe('POST /identifiers/import of a list', () => {
  const id = (n: number) => `100.102/${n.toString(16).toUpperCase().padStart(32, 'A')}`;
  const statuses = (results: any[]) => results.map(({ status, outcome, problem }) => [status, outcome ?? problem.code]);

  it.each([
    ['commas', ',', 1],
    ['semicolons', ';', 2],
    ['tabs', '\t', 3],
  ])('with %s between its cells registers active identifiers, and again changes nothing', async (_, delimiter, n) => {
    const target = `https://repo.example.org/a;b,c/${n}`;
    const csv = ['identifier,target', `${id(n)},"${target}"`, `${id(n + 10)},`].map((line, index) =>
      index === 1 ? `${id(n)}${delimiter}"${target}"` : line.replace(',', delimiter),
    );
    const body = `\ufeff${csv.join('\r\n')}\r\n`;
    expect(statuses(await send(body, 'text/csv'))).toEqual([
      [201, 'imported'],
      [201, 'imported'],
    ]);
    expect((await service.client.get(`/identifiers/${id(n)}`)).body).toMatchObject({
      state: 'active',
      version: 1,
      target,
    });
    expect(statuses(await send(body, 'text/csv'))).toEqual([
      [200, 'unchanged'],
      [200, 'unchanged'],
    ]);
  });

  it('rejects another target, and an identifier that is withdrawn', async () => {
    const csv = (target: string) => `"identifier";"target"\n"${id(31)}";"${target}"\n`;
    await send(csv('https://repo.example.org/1'), 'text/csv');
    expect(statuses(await send(csv('https://repo.example.org/2'), 'text/csv'))).toEqual([[409, 'IDENTIFIER_TAKEN']]);
    await service.client.post(`/identifiers/${id(31)}/withdraw`, { reason: 'Twice.' }, { 'if-match': '*' });
    expect(statuses(await send(csv('https://repo.example.org/1'), 'text/csv'))).toEqual([[409, 'IDENTIFIER_TAKEN']]);
  });

  it('rejects a row with more or fewer cells than columns, and reads on', async () => {
    const rows = `${id(44)},https://repo.example.org/44,more\n${id(45)}\n${id(46)},https://repo.example.org/46\n`;
    const results = await send(`identifier,target\n${rows}`, 'text/csv');
    expect(statuses(results).slice(0, 2)).toEqual([
      [400, 'INVALID_REQUEST'],
      [400, 'INVALID_REQUEST'],
    ]);
    expect(results.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4]);
    expect(results[2]).toMatchObject({ identifier: id(46), outcome: 'imported' });
  });

  it('reads a header in any case, with spaces around its names', async () => {
    const csv = `Identifier; TARGET\n${id(51)};https://repo.example.org/51\n`;
    for (const outcome of [[201, 'imported'] as const, [200, 'unchanged'] as const]) {
      expect(statuses(await send(csv, 'text/csv'))).toEqual([outcome]);
    }
    expect((await service.client.get(`/identifiers/${id(51)}`)).body.target).toBe('https://repo.example.org/51');
  });

  it('reads a file without a line break, and one without rows', async () => {
    expect(await send('identifier', 'text/csv')).toEqual([]);
    expect(await send('\r\n\r\nidentifier;target\r\n', 'text/csv')).toEqual([]);
  });
});
