import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Answer, Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, withoutTriggers } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

const OPEN = { ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };

let database: TestDatabase;
let sql: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  sql = new pg.Client({ connectionString: withoutTriggers(database.url) });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const countOf = async (condition: string, values: unknown[] = []): Promise<number> =>
  (await sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM identifier WHERE ${condition}`, values)).rows[0]?.n ??
  -1;

describe('four processes on one database', () => {
  let servers: TestServer[];
  let clients: Client[];

  beforeAll(async () => {
    servers = await Promise.all([1, 2, 3, 4].map(() => startServer({ DATABASE_URL: database.url, ...OPEN })));
    clients = servers.map(({ url }) => new Client(url));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  const twoHundred = (fields: object, headers: Record<string, string> = {}): Promise<Answer[]> =>
    Promise.all(Array.from({ length: 200 }, (_, i) => clients[i % 4]!.mint(fields, headers)));

  it('return one identifier for 200 retries of one key', async () => {
    const key = randomUUID();
    const answers = await twoHundred({}, { 'idempotency-key': key });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await countOf('request_key = $1', [key])).toBe(1);
  });

  it('return one identifier for 200 mints of one metadata ID', async () => {
    const metadataId = `hdl:20.1000/${randomUUID()}`;
    const answers = await twoHundred({ metadataId });
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(199);
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    expect(await countOf('metadata_id = $1', [metadataId])).toBe(1);
  });

  it('write one entry into the history for each identifier', async () => {
    const { rows } = await sql.query<{ n: number; versions: number }>(
      'SELECT count(*)::int AS n, count(DISTINCT (identifier_id, version))::int AS versions FROM event WHERE identifier_id IS NOT NULL',
    );
    expect(rows[0]).toEqual({ n: await countOf('true'), versions: await countOf('true') });
  });
});

describe('an Idempotency-Key', () => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await startServer({ DATABASE_URL: database.url, ...OPEN, DATABASE_STATEMENT_TIMEOUT_MS: '3000' });
    client = new Client(server.url);
  });
  afterAll(async () => {
    await server.stop();
  });

  it('is the same quoted and bare', async () => {
    const key = randomUUID();
    const first = await client.mint({}, { 'idempotency-key': key });
    const again = await client.mint({}, { 'idempotency-key': `"${key}"` });
    expect([again.headers.get('idempotency-replayed'), again.text]).toEqual(['true', first.text]);
  });

  it('may contain spaces, quotes and backslashes when it is quoted', async () => {
    const header = { 'idempotency-key': '"order 7 of \\"us\\" \\\\ them"' };
    const first = await client.mint({}, header);
    const again = await client.mint({}, header);
    expect([first.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  it.each([
    ['is empty', '""'],
    ['is not closed', '"abc'],
    ['holds an escape of something else', '"a\\b"'],
    ['has 256 characters', `"${'x'.repeat(256)}"`],
    ['holds a space and is bare', 'a b'],
  ])('is rejected when it %s', async (_, key) => {
    const { status, body } = await client.mint({}, { 'idempotency-key': key });
    expect([status, body.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  });

  it('is accepted with 255 characters', async () => {
    expect((await client.mint({}, { 'idempotency-key': `"${'x'.repeat(255)}"` })).status).toBe(201);
  });

  it('keeps the result of a request that found an identifier, also when its metadata ID has moved', async () => {
    const metadataId = `hdl:20.1000/${randomUUID()}`;
    const headers = { 'idempotency-key': randomUUID() };
    const existing = await client.mint({ metadataId });
    const found = await client.mint({ metadataId }, headers);
    await sql.query('UPDATE identifier SET metadata_id = NULL, metadata_key = NULL WHERE metadata_id = $1', [
      metadataId,
    ]);
    const again = await client.mint({ metadataId }, headers);
    expect([found.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true']);
    expect(again.body.identifier).toBe(existing.body.identifier);
    const other = await client.mint({ metadataId, target: 'https://other.example.org/' }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('of another request is rejected before the faults of this request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const guid = randomUUID();
    await client.post('/identifiers/batch', { namingAuthority: '100.102', count: 1 }, headers);
    const itself = { guid, metadataId: `hdl:100.102/${guid.replaceAll('-', '')}` };
    expect((await client.mint(itself)).body.code).toBe('METADATA_ID_IS_IDENTIFIER');
    const answer = await client.mint(itself, headers);
    expect([answer.status, answer.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('whose first request is in flight returns 409 with Retry-After, and a later repeat succeeds', async () => {
    const key = randomUUID();
    const first = new pg.Client({ connectionString: database.url });
    await first.connect();
    await first.query('BEGIN');
    // Every statement of the service takes this lock before it uses a key.
    await first.query("SELECT lock_request_key('anonymous', $1)", [key]);
    await first.query(
      `INSERT INTO identifier (naming_authority_id, guid, client, request_key, request_index, request_hash)
       VALUES ((SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), 'anonymous', $1, 0, encode(substring(sha256('x') FROM 1 FOR 16), 'hex')::uuid)`,
      [key],
    );
    const inFlight = await client.mint({}, { 'idempotency-key': key });
    await first.query('ROLLBACK');
    await first.end();
    expect([inFlight.status, inFlight.body.code]).toEqual([409, 'REQUEST_IN_FLIGHT']);
    expect(inFlight.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect((await client.mint({}, { 'idempotency-key': key })).status).toBe(201);
  });
});

describe('between the commit and the response', () => {
  let proxy: TcpProxy;
  let server: TestServer;
  let client: Client;
  // The last test stops the first service.
  beforeAll(async () => {
    proxy = await TcpProxy.before(database.url);
    server = await startServer({ DATABASE_URL: proxy.addressOf(database.url), ...OPEN });
    client = new Client(server.url);
  });
  afterAll(async () => {
    await server.stop('SIGKILL');
    await proxy.close();
  });

  it.each([
    ['the Idempotency-Key', {}, { 'idempotency-key': randomUUID() }],
    ['the metadata ID', { metadataId: `hdl:20.1000/${randomUUID()}` }, {}],
  ])('a lost connection is 503 OUTCOME_UNKNOWN, and a retry finds the identifier by %s', async (_, fields, headers) => {
    const before = await countOf('true');
    const withheld = proxy.withholdAnswerTo('insert-one-identifier');
    const mint = client.mint(fields, headers);
    (await withheld).cut();
    const answer = await mint;
    expect([answer.status, answer.body.code]).toEqual([503, 'OUTCOME_UNKNOWN']);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(await countOf('true')).toBe(before + 1);
    const retry = await client.mint(fields, headers);
    expect(retry.status).toBe('metadataId' in fields ? 200 : 201);
    expect(await countOf('true')).toBe(before + 1);
  });

  it('kill -9 of the service loses nothing: the retry returns the same identifier', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const withheld = proxy.withholdAnswerTo('insert-one-identifier');
    const mint = client.mint({}, headers).catch((error: unknown) => String(error));
    await withheld;
    await server.stop('SIGKILL');
    expect(await mint).toContain('fetch failed');
    const { rows } = await sql.query<{ guid: string }>('SELECT guid FROM identifier WHERE request_key = $1', [
      headers['idempotency-key'],
    ]);
    expect(rows).toHaveLength(1);
    server = await startServer({ DATABASE_URL: database.url, ...OPEN });
    const retry = await new Client(server.url).mint({}, headers);
    expect([retry.status, retry.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(retry.body.guid).toBe(rows[0]?.guid.replaceAll('-', '').toUpperCase());
  });
});
