/** Another session locks a table in a transaction that it leaves open. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';

let database: TestDatabase;
let server: TestServer;
let client: Client;
/** The session that locks the table. */
let other: pg.Client;
let role: string;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  client = new Client(server.url);
  const url = new URL(database.url);
  role = decodeURIComponent(url.username);
  url.searchParams.set('application_name', 'other');
  other = new pg.Client({ connectionString: url.href });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await server.stop();
  await database.drop();
});
/** A result is used for a second. */
beforeEach(() => pause(1050));

const ready = () => client.get('/health/ready');

const linesWith = (words: string): Record<string, unknown>[] =>
  server
    .stdout()
    .split('\n')
    .filter((line) => line.includes(words))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function untilReady(): Promise<void> {
  for (let i = 0; i < 50 && (await ready()).status !== 200; i++) await pause(100);
  expect((await ready()).status).toBe(200);
}

describe('a table that an open transaction has locked', () => {
  it('makes the service not ready, which names the process and the age; user and state are in the log only', async () => {
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]!.pid;
    const { identifier } = (await client.mint()).body;
    await other.query('BEGIN; LOCK TABLE identifier');
    await pause(1050);
    const [checked, read] = await Promise.all([ready(), client.get(`/identifiers/${identifier as string}`)]);
    expect([checked.status, checked.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    const found = /^55P03 .*table.* locked by process (\d+) .* for (\d+) s/.exec(checked.body.detail as string);
    expect([Number(found?.[1]), Number(found?.[2])]).toEqual([pid, expect.any(Number)]);
    expect(Number(found?.[2])).toBeLessThan(10);
    expect(JSON.stringify(checked.body)).not.toMatch(new RegExp(`${role}|idle in transaction`));
    for (let i = 0; i < 40 && linesWith('the database fails').length === 0; i++) await pause(25);
    expect(linesWith('the database fails')[0]).toMatchObject({
      level: 50,
      blocker: { pid, user: role, state: 'idle in transaction' },
    });
    // A look-up waits for the table, and for no other request.
    expect([read.status, read.body.code]).toEqual([503, 'CONFLICT_IN_PROGRESS']);
    expect(read.body.detail).toMatch(/^Another transaction.* has locked a table/);
    expect(JSON.stringify(read.body)).not.toContain('that changes the same identifier');
    await other.query('ROLLBACK');
    await untilReady();
    expect((await client.mint()).status).toBe(201);
  });

  it('against writes only, as the construction of an index locks it, makes the service not ready', async () => {
    await other.query('BEGIN; LOCK TABLE identifier IN SHARE MODE');
    const { status, body } = await ready();
    expect([status, body.detail]).toEqual([503, expect.stringContaining('55P03')]);
    await other.query('ROLLBACK');
    await untilReady();
  });

  it.each([
    ...['change', 'alternate_identifier', 'request', 'request_part', 'position_gate'].map((table) => [table, 'SHARE']),
    ...['naming_authority', 'handle_user', 'api_key'].map((table) => [table, 'ACCESS EXCLUSIVE']),
  ])('%s, which mints need, makes the service not ready in the mode %s, and is named', async (table, mode) => {
    await other.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
    const { status, body } = await ready();
    expect([status, body.detail]).toEqual([
      503,
      expect.stringMatching(new RegExp(`^55P03 the table "${table}" is locked by process`)),
    ]);
    await other.query('ROLLBACK');
    await untilReady();
  });

  it('ends a mint after 4 s, with a known outcome', async () => {
    // The idle connections of the service are closed after 10 s, so that the mint needs new ones.
    await pause(11_000);
    await other.query('BEGIN; LOCK TABLE identifier');
    const since = performance.now();
    const [alone, keyed] = await Promise.all([client.mint(), client.mint({}, { 'idempotency-key': 'locked-table' })]);
    const seconds = (performance.now() - since) / 1000;
    expect(seconds).toBeLessThan(7);
    expect([alone.status, alone.body.code]).toEqual([503, 'CONFLICT_IN_PROGRESS']);
    expect([keyed.status, keyed.body]).toEqual([503, alone.body]);
    expect(alone.body.detail).toMatch(/^Another transaction.* has locked a table that this request needs/);
    await other.query('ROLLBACK');
    await untilReady();
  }, 30_000);

  it('for a moment leaves the service ready', async () => {
    await other.query('BEGIN; LOCK TABLE identifier');
    const checked = ready();
    await pause(250);
    await other.query('ROLLBACK');
    expect((await checked).status).toBe(200);
  });
});

describe('a row that is locked', () => {
  it('leaves the service ready while many changes of one identifier wait for it', async () => {
    const { identifier } = (await client.mint()).body;
    const headers = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
    const path = `/identifiers/${identifier as string}`;
    await other.query('BEGIN');
    await other.query('SELECT FROM identifier WHERE local_name = $1 FOR UPDATE', [
      (identifier as string).split('/')[1],
    ]);
    const changes = Array.from({ length: 30 }, (_, n) =>
      client.send('PATCH', path, headers, JSON.stringify({ target: `https://a.example/${n}` })),
    );
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      await pause(600);
      statuses.push((await ready()).status);
    }
    await other.query('ROLLBACK');
    await Promise.all(changes);
    expect(statuses).toEqual([200, 200, 200]);
  });
});
