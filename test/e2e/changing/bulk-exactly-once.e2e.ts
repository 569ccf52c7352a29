import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { CHANGES, mintMany, ndjson } from '../harness/changes.js';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { openStream, sendLines } from '../harness/stream.js';

const COUNT = 15_000;
/** Lines of the response after which one side is killed. */
const CLIENT_KILLED_AFTER = 4_000;
const SERVICE_KILLED_AFTER = 9_000;
const OPEN = { ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };

/** A process that sends a file of changes and counts the lines of the response on its standard output. */
const CLIENT = `
  const [url, file, key] = process.argv.slice(1);
  const body = require('node:fs').createReadStream(file);
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key, prefer: 'return=minimal' };
  const request = require('node:http').request(url, { method: 'POST', headers }, (response) => {
    let lines = 0;
    response.on('data', (chunk) => {
      for (const byte of chunk) if (byte === 10) lines += 1;
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
        Array.from({ length: 5000 }, () => ({})),
      )),
    );
  }
  return identifiers;
}

/** The identifiers that were changed, their events and their versions. */
async function counted(): Promise<{ identifiers: number; events: number; versions: number[] | null }> {
  const { rows } = await sql.query<{ identifiers: number; events: number; versions: number[] | null }>(
    `SELECT count(*)::int AS identifiers, array_agg(DISTINCT version) AS versions,
            (SELECT count(*)::int FROM change WHERE kind = 'changed') AS events
     FROM identifier WHERE target LIKE 'https://new.example.org/%'`,
  );
  return rows[0]!;
}

/** Expects that a part of the identifiers was changed, each of them once. @returns how many. */
async function expectPart(): Promise<number> {
  const { identifiers, events, versions } = await counted();
  expect({ events, versions }).toEqual({ events: identifiers, versions: [2] });
  expect(identifiers).toBeLessThan(COUNT);
  return identifiers;
}

describe(`${COUNT} changes`, () => {
  it('whose client and then whose service are killed are resumed with nothing done twice', async () => {
    const identifiers = await mintAll();
    const body = ndjson(
      ...identifiers.map((identifier, index) => ({ identifier, target: `https://new.example.org/${index}` })),
    );
    const headers = { 'idempotency-key': randomUUID(), prefer: 'return=minimal' };

    const file = join(folder, 'changes.ndjson');
    await writeFile(file, body);
    const child = spawn(process.execPath, ['-e', CLIENT, `${server.url}${CHANGES}`, file, headers['idempotency-key']]);
    const exited = once(child, 'exit');
    for await (const text of child.stdout) {
      if (Number(String(text).trim().split('\n').at(-1)) >= CLIENT_KILLED_AFTER) child.kill('SIGKILL');
    }
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(await expectPart()).toBeGreaterThanOrEqual(CLIENT_KILLED_AFTER);

    const stream = openStream(`${server.url}${CHANGES}`, headers);
    stream.request.end(body);
    let returned = 0;
    const reading = (async () => {
      for await (const _ of stream.lines) if (++returned === SERVICE_KILLED_AFTER) void server.stop('SIGKILL');
    })();
    await expect(reading).rejects.toThrow();
    expect(returned).toBeGreaterThanOrEqual(SERVICE_KILLED_AFTER);
    server = await startServer({ DATABASE_URL: database.url, ...OPEN });
    // What was returned is durable.
    expect(await expectPart()).toBeGreaterThanOrEqual(returned);

    const lines = await sendLines(`${server.url}${CHANGES}`, body, headers);
    const wrong = lines.filter(
      ({ line, status, outcome, identifier, version }, index) =>
        ![line === index + 1, status === 200, outcome === 'changed', version === 2].every(Boolean) ||
        identifier !== identifiers[index],
    );
    expect([lines.length, wrong]).toEqual([COUNT, []]);
    expect(await counted()).toEqual({ identifiers: COUNT, events: COUNT, versions: [2] });
  });
});
