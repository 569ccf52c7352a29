import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { CHANGES, mintMany, ndjson } from './harness/changes.js';
import { Client } from './harness/client.js';
import { type TestDatabase, createDatabase } from './harness/database.js';
import { type TestServer, startServer } from './harness/server.js';
import { openStream, sendLines } from './harness/stream.js';

const COUNT = 50_000;
/** Lines of the response after which one side is killed. */
const CUT_AFTER = 10_000;
const OPEN = { ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };

/** A process that sends a file of changes and counts the lines of the response on its standard output. */
const CLIENT = `
  const [url, file, key] = process.argv.slice(1);
  const body = require('node:fs').createReadStream(file);
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key, prefer: 'return=minimal' };
  const request = require('node:http').request(url, { method: 'POST', headers }, (response) => {
    let lines = 0;
    response.on('data', (chunk) => {
      for (const octet of chunk) if (octet === 10) lines += 1;
      process.stdout.write(lines + '\\n');
    });
  });
  body.pipe(request);`;

let database: TestDatabase;
let server: TestServer;
let sql: pg.Client;
let folder: string;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ DATABASE_URL: database.url, ...OPEN });
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  folder = await mkdtemp(join(tmpdir(), 'changes-'));
});
afterAll(async () => {
  await sql.end();
  await server.stop('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true });
});

async function mintAll(): Promise<string[]> {
  const identifiers: string[] = [];
  while (identifiers.length < COUNT) {
    identifiers.push(
      ...(await mintMany(
        new Client(server.url),
        Array.from({ length: 10_000 }, () => ({})),
      )),
    );
  }
  return identifiers;
}

const bodyFor = (identifiers: readonly string[], host: string) =>
  ndjson(...identifiers.map((identifier, index) => ({ identifier, target: `https://${host}.example.org/${index}` })));

/** How often identifiers with a target of a host were changed, by version. */
async function countsOf(host: string): Promise<{ identifiers: string; changes: string; versions: number[] }> {
  const { rows } = await sql.query<{ identifiers: string; changes: string; versions: number[] }>(
    `SELECT count(*) AS identifiers, array_agg(DISTINCT i.version) AS versions,
            (SELECT count(*) FROM change c JOIN identifier x ON x.id = c.identifier_id
             WHERE c.kind = 'changed' AND x.target LIKE $1) AS changes
     FROM identifier i WHERE i.target LIKE $1`,
    [`https://${host}.example.org/%`],
  );
  return rows[0]!;
}

/** Sends the stream again, and expects that every line has one result and was changed once. */
async function resume(identifiers: readonly string[], host: string, key: string): Promise<void> {
  const before = Number((await countsOf(host)).identifiers);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(COUNT);
  const lines = await sendLines(`${server.url}${CHANGES}`, bodyFor(identifiers, host), {
    'idempotency-key': key,
    prefer: 'return=minimal',
  });
  const expected = identifiers.map((identifier, index) => ({
    ...{ line: index + 1, status: 200, outcome: 'changed', identifier, version: 2 },
  }));
  expect(lines).toEqual(expected);
  const all = String(COUNT);
  expect(await countsOf(host)).toEqual({ identifiers: all, changes: all, versions: [2] });
}

describe(`${COUNT} changes`, () => {
  it('whose client is killed are resumed with nothing done twice', async () => {
    const identifiers = await mintAll();
    const key = randomUUID();
    const file = join(folder, 'changes.ndjson');
    await writeFile(file, bodyFor(identifiers, 'client'));
    const child = spawn(process.execPath, ['-e', CLIENT, `${server.url}${CHANGES}`, file, key]);
    for await (const text of child.stdout) {
      const counted = String(text).trim().split('\n').at(-1);
      if (Number(counted) >= CUT_AFTER) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    await resume(identifiers, 'client', key);
  });

  it('whose service is killed are resumed with nothing done twice', async () => {
    const identifiers = await mintAll();
    const key = randomUUID();
    const stream = openStream(`${server.url}${CHANGES}`, { 'idempotency-key': key, prefer: 'return=minimal' });
    stream.request.end(bodyFor(identifiers, 'service'));
    const answered: any[] = [];
    const reading = (async () => {
      for await (const line of stream.lines) {
        answered.push(line);
        if (answered.length === CUT_AFTER) void server.stop('SIGKILL');
      }
    })();
    await expect(reading).rejects.toThrow();
    await server.stop('SIGKILL');
    server = await startServer({ DATABASE_URL: database.url, ...OPEN });
    const { rows } = await sql.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM identifier WHERE target LIKE 'https://service.example.org/%'",
    );
    // What was returned is durable.
    expect(rows[0]!.n).toBeGreaterThanOrEqual(answered.length);
    await resume(identifiers, 'service', key);
  });
});
