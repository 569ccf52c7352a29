import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, withoutTriggers } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

// The sweep would record the expiry of a lease between two exports.
const service = useService({ NAMING_AUTHORITIES: '100.102,2000.01', RESERVATION_SWEEP_INTERVAL_MS: '86400000' });
const EXPORT = '/identifiers/export';
const HANDLES = `INSERT INTO naming_authority (prefix, profile, case_insensitive) VALUES ('20.500.12345', 'handle', false), ('10.1234', 'handle', true)`;
const REASONS = [
  '=HYPERLINK("http://evil.example","x")',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  "'quoted",
  'plain, "quoted"\r\nsecond line',
  'ümlaut 𝄞',
  '＝1+1',
  '＠SUM(A1)',
  'a;=1+1;"=2;b',
];
const CODES = ['duplicate', 'error', 'legal', 'other', 'deleted', 'expired', 'released', 'undone'];

async function execute(database: TestDatabase, ...statements: string[]): Promise<any[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  let rows: any[] = [];
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  return rows;
}

const text = async (base: string, path: string, accept: string) => {
  const answer = await fetch(base + path, { headers: { accept } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const exported = async (query = '', accept = 'application/x-ndjson', base = service.server.url) =>
  (await text(base, `${EXPORT}${query}`, accept)).text;
const linesOf = (ndjson: string) =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  await execute(service.database, HANDLES);
  const lease = '2126-01-01T00:00:00.000Z';
  const minted = await service.client.post('/identifiers/batch', {
    namingAuthority: '100.102',
    items: [
      {
        metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA?q#f',
        target: 'https://repo.example.org/7',
        alternateIds: ['demo:7', 'hdl:1.2/a b'],
      },
      { mintMetadataId: true },
      { state: 'reserved', leaseUntil: lease, metadataId: 'demo:reserved', alternateIds: ['demo:alt'] },
      { guid: 'F58FB49EB1F848F0A606E84CEF294BE5', namingAuthority: '2000.01' },
      { namingAuthority: '20.500.12345', localName: '=cmd|x/Ä ?#%41' },
      { namingAuthority: '20.500.12345', localName: 'case' },
      { namingAuthority: '20.500.12345', localName: 'CASE' },
      { namingAuthority: '10.1234', localName: 'Mixed.Case' },
      { state: 'reserved', leaseUntil: lease, metadataId: 'demo:lapses' },
      ...REASONS.map((_, index) => ({ target: `https://repo.example.org/withdrawn/${index}` })),
    ],
  });
  for (const { status } of minted.body.items) expect(status).toBe(201);
  const client = new pg.Client({ connectionString: withoutTriggers(service.database.url) });
  await client.connect();
  for (const [index, reason] of REASONS.entries()) {
    await client.query(
      `UPDATE identifier SET state = 'withdrawn', version = 3, is_first_event = false, updated_at = created_at + interval '1 minute', withdrawn_at = '2026-01-02T03:04:05.678Z',
         withdrawal_reason = $2, replaced_by = $3, withdrawal_reason_code = $4 WHERE target = $1`,
      [
        `https://repo.example.org/withdrawn/${index}`,
        reason,
        index === 0 ? 'hdl:2000.01/F58FB49EB1F848F0A606E84CEF294BE5' : null,
        CODES[index % CODES.length],
      ],
    );
  }
  await client.query(
    `UPDATE identifier SET lease_until = now() - interval '1 second' WHERE metadata_id LIKE '%demo:lapses'`,
  );
  await client.end();
});

describe('GET /identifiers/export', () => {
  it('writes NDJSON, one line for each identifier in order of minting, with what the representation says', async () => {
    const { headers, text: body } = await text(service.server.url, EXPORT, '*/*');
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    expect(headers.get('vary')).toBe('accept');
    const lines = linesOf(body);
    const { body: page } = await service.client.get('/identifiers?limit=1000');
    expect(lines).toHaveLength(page.items.length);
    for (const [index, { hiddenValues, ...line }] of lines.entries()) {
      expect(page.items[index]).toMatchObject(line);
      expect(hiddenValues).toBe(0);
    }
  });

  it('includes reserved ones with their lease and withdrawn ones with their tombstone', async () => {
    const lines = linesOf(await exported());
    expect(lines.find(({ metadataId }) => metadataId === 'info:fedora/demo:reserved')).toMatchObject({
      state: 'reserved',
      leaseUntil: '2126-01-01T00:00:00.000Z',
    });
    const tombstones = lines.flatMap(({ tombstone }) => tombstone ?? []);
    expect(tombstones.map(({ reason }) => reason)).toEqual(expect.arrayContaining(REASONS));
    expect(tombstones.map(({ reasonCode }) => reasonCode)).toEqual(expect.arrayContaining(CODES));
    expect(tombstones[0]).toMatchObject({ reasonCode: 'expired', reason: 'The reservation ended without activation.' });
  });

  it('takes the filters of the list, and rejects what the list rejects', async () => {
    for (const query of [
      '?state=withdrawn',
      '?namingAuthority=2000.01',
      '?metadataId=demo:reserved',
      '?alternateId=demo:7',
      '?target=https://repo.example.org/7',
      '?createdFrom=2126-01-01T00:00:00Z',
    ]) {
      const { body } = await service.client.get(`/identifiers${query}&limit=1000`);
      expect(linesOf(await exported(query)).map(({ identifier }) => identifier)).toEqual(
        body.items.map(({ identifier }: any) => identifier),
      );
    }
    expect((await service.client.get(`${EXPORT}?state=lost`)).body.code).toBe('INVALID_REQUEST');
    expect((await service.client.get(`${EXPORT}?limit=5`)).body.code).toBe('INVALID_REQUEST');
    const { status, body } = await service.client.get(`${EXPORT}?metadataId=nonsense`);
    expect([status, body.errors[0].parameter]).toEqual([400, 'metadataId']);
  });

  it('writes CSV by RFC 4180, in which no cell begins as a formula does, and every cell can be read back', async () => {
    const { headers, text: csv } = await text(service.server.url, EXPORT, 'text/csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(
      csv.startsWith(
        '"identifier","metadataId","target","language","state","alternateIds","version","createdAt","updatedAt","leaseUntil","withdrawnAt","withdrawalReasonCode","withdrawalReason","replacedBy","previousVersion","handleValues","hiddenValues"\r\n',
      ),
    ).toBe(true);
    expect(csv.endsWith('\r\n')).toBe(true);
    const rows: Record<string, string>[] = parse(csv, { columns: true });
    expect(rows).toHaveLength(linesOf(await exported()).length);
    const cells = rows.flatMap((row) => Object.values(row));
    expect(cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell))).toEqual([]);
    // With any separator of cells, no cell starts as a formula.
    expect(csv.split(/[;\t\r\n]/).filter((piece) => /^[ "']*[=+\-@＝＋－＠]/.test(piece.replace(/^"?'/, 'x')))).toEqual(
      [],
    );
    expect(csv.replace(/"(?:[^"]|"")*"/g, '').replaceAll(/[,\r\n]/g, '')).toBe('');
    const reasons = rows.map((row) => row.withdrawalReason!.replace(/^'/, '').replace(/;'/g, ';'));
    expect(reasons).toEqual(expect.arrayContaining(REASONS));
    expect(rows.map((row) => row.withdrawalReasonCode)).toEqual(expect.arrayContaining(['', ...CODES]));
  });

  it.each([
    ['application/xml', 406],
    ['application/json', 406],
    ['text/csv;q=0.5, application/x-ndjson;q=0.1', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv;q=0', 406],
    ['application/*', 'application/x-ndjson'],
    ['text/html, */*;q=0.1', 'application/x-ndjson'],
    ['application/jsonl', 'application/jsonl'],
  ])('for Accept: %s returns %s', async (accept, expected) => {
    const answer = await text(service.server.url, `${EXPORT}?state=reserved`, accept);
    if (expected === 406) {
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([406, 'NOT_ACCEPTABLE']);
    } else expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${String(expected)}`));
  });
});

describe('POST /identifiers/import', () => {
  let database: TestDatabase;
  let server: TestServer;

  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102,2000.01' });
    await execute(database, HANDLES);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });
  const send = (body: string, type = 'application/x-ndjson', to = server) =>
    sendLines(`${to.url}/identifiers/import`, body, { 'content-type': type });

  it('of an export gives the same registry: its export is equal byte by byte, as NDJSON and as CSV', async () => {
    const results = await send(await exported());
    expect(results.map(({ status, outcome }) => [status, outcome])).toEqual(results.map(() => [201, 'imported']));
    for (const accept of ['application/x-ndjson', 'text/csv']) {
      expect(await exported('', accept, server.url)).toBe(await exported('', accept));
    }
    const columns = `naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids, version, created_at, updated_at`;
    const sql = `SELECT ${columns} FROM identifier WHERE lease_until IS NULL AND target IS DISTINCT FROM 'x' ORDER BY created_at, id`;
    const unexpired = (rows: any[]) => rows.filter(({ metadata_id }) => metadata_id !== 'info:fedora/demo:lapses');
    const [one, other] = [unexpired(await execute(service.database, sql)), unexpired(await execute(database, sql))];
    expect(
      other.filter(({ created_at, guid }) => one.some((row) => row.guid === guid && +row.created_at === +created_at)),
    ).toEqual(one);
  });

  it('twice changes nothing: every line is unchanged, in both forms', async () => {
    const before = await execute(database, 'SELECT count(*) AS n FROM event');
    for (const [accept, type] of [
      ['application/x-ndjson', 'application/x-ndjson'],
      ['text/csv', 'text/csv'],
    ] as const) {
      for (const to of [server, service.server]) {
        const results = await send(await exported('', accept), type, to);
        expect(results.map(({ status, outcome }) => [status, outcome])).toEqual(results.map(() => [200, 'unchanged']));
      }
    }
    expect(await execute(database, 'SELECT count(*) AS n FROM event')).toEqual(before);
  });

  it('of the CSV into an empty registry gives the same registry too', async () => {
    const third = await createDatabase();
    const empty = await startServer({ DATABASE_URL: third.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102,2000.01' });
    await execute(third, HANDLES);
    const results = await send(await exported('', 'text/csv'), 'text/csv', empty);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 201));
    expect(await exported('', 'application/x-ndjson', empty.url)).toBe(await exported());
    await empty.stop();
    await third.drop();
  });

  it('remembers each as imported, once, with its version', async () => {
    const rows = await execute(
      database,
      `SELECT c.kind, c.version, i.version AS now, c.patch FROM identifier i LEFT JOIN event c ON c.identifier_id = i.id`,
    );
    expect(rows.every(({ kind, version, now }) => kind === 'imported' && version === now)).toBe(true);
    expect(JSON.parse(rows[0].patch)[0]).toMatchObject({ op: 'add', path: '' });
  });

  it('rejects a line that contradicts what is registered with 409, and goes on', async () => {
    const [first] = linesOf(await exported());
    const fresh = { ...first, identifier: '100.102/00000000000040008000000000000001' };
    const lines = [
      { ...first, target: 'https://other.example/' },
      { ...fresh },
      { ...fresh, metadataId: null },
      { ...fresh, metadataId: null, alternateIds: [] },
      { ...fresh, metadataId: null, alternateIds: [] },
      { ...fresh, metadataId: null, alternateIds: [], version: 2 },
    ];
    const results = await send(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(results.map(({ line, status, outcome, problem }) => [line, status, problem?.code ?? outcome])).toEqual([
      [1, 409, 'IDENTIFIER_TAKEN'],
      [2, 409, 'METADATA_ID_TAKEN'],
      [3, 409, 'ALTERNATE_ID_TAKEN'],
      [4, 201, 'imported'],
      [5, 200, 'unchanged'],
      [6, 409, 'IDENTIFIER_TAKEN'],
    ]);
    expect(results[1].problem.existing).toBe(`/identifiers/${first.identifier}`);
  });
});

describe('a large export', () => {
  // 30,000 lines of 2.5 KB are 75 MB.
  it('is bounded in memory, and reads no further when its client hangs up', async () => {
    await execute(
      service.database,
      `INSERT INTO identifier (naming_authority_id, guid, target) SELECT (SELECT id FROM naming_authority WHERE prefix = '2000.01'), gen_random_uuid(), 'https://repo.example.org/' || repeat('x', 1900) || n FROM generate_series(1, 30000) AS n`,
    );
    const rss = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;
    const idle = rss();
    let highest = idle;
    const watch = setInterval(() => (highest = Math.max(highest, rss())), 100);
    const begun = performance.now();
    const lines = (await exported('?namingAuthority=2000.01')).split('\n').length - 1;
    const exportMs = performance.now() - begun;
    clearInterval(watch);
    expect(lines).toBeGreaterThanOrEqual(30_000);
    expect(highest - idle).toBeLessThan(150);
    const hangUp = new AbortController();
    const answer = await fetch(`${service.server.url}${EXPORT}`, { signal: hangUp.signal });
    await answer.body!.getReader().read();
    hangUp.abort();
    const busy = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND application_name = 'mintmark'`;
    // A page of the export takes milliseconds, and the other pages take seconds.
    const until = performance.now() + exportMs / 2;
    do await new Promise((resolve) => setTimeout(resolve, 100));
    while ((await execute(service.database, busy))[0].n > 0 && performance.now() < until);
    expect((await execute(service.database, busy))[0].n).toBe(0);
    expect((await new Client(service.server.url).get('/health/ready')).status).toBe(200);
  });
});
