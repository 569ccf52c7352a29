import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../dist/database/migrations.js';
import { type Request, Requests } from '../access/authorisation/requests.js';
import { Client } from '../harness/client.js';
import { createDatabase, query } from '../harness/database.js';
import { Postgres } from '../harness/postgres.js';
import { type TestServer, runToEnd, startServer } from '../harness/server.js';

/** By this clock, a wait for a minute takes two seconds. */
const FAST_CLOCK = `--import=data:text/javascript,${encodeURIComponent(
  'const now = performance.now.bind(performance); performance.now = () => 30 * now();',
)}`;

let postgres: Postgres;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  postgres = await Postgres.start();
  server = await startServer({ DATABASE_URL: postgres.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  client = new Client(server.url);
});
afterAll(async () => {
  await server.stop();
  await postgres.stop();
});

/** Sends a request, also where its answer is a stream or a redirect. */
async function send(
  operation: string,
  { path, headers = {}, body }: Request,
): Promise<{ status: number; text: string }> {
  const [method = 'GET'] = operation.split(' ');
  const answer = await fetch(server.url + path, { method, headers, body: body ?? null, redirect: 'manual' });
  return { status: answer.status, text: await answer.text() };
}

/** Requests that would succeed, one of each operation. */
async function makeAll(): Promise<[string, Request][]> {
  const requests = new Requests(client, {});
  const made: [string, Request][] = [];
  for (const operation of requests.known) made.push([operation, await requests.for(operation)]);
  return made;
}

/** The statuses of the responses and of the last lines of streams, by operation. */
async function outcomesOf(requests: readonly [string, Request][]): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>();
  for (const [operation, request] of requests) {
    const { status, text } = await send(operation, request);
    const line = /"status":(\d+),"(?:problem|code)"/.exec(text)?.[1];
    outcomes.set(operation, line === undefined ? status : Number(line));
  }
  return outcomes;
}

const ready = () => client.get('/health/ready');

async function untilReady(status: number): Promise<void> {
  for (let i = 0; i < 200 && (await ready()).status !== status; i++) await pause(100);
  expect((await ready()).status).toBe(status);
}

describe('a server that is read-only', () => {
  it('rejects writes with 503, answers reads, and is not ready until it accepts writes again', async () => {
    const requests = await makeAll();
    await query(postgres.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await query(postgres.url, 'SELECT pg_reload_conf()');
    await untilReady(503);
    const { body } = await ready();
    expect([body.code, body.detail]).toEqual(['DATABASE_UNAVAILABLE', expect.stringContaining('read-only')]);
    const outcomes = await outcomesOf(requests);
    expect([...outcomes].filter(([, status]) => status >= 500 && status !== 503)).toEqual([]);
    expect(outcomes.get('POST /identifiers a new one')).toBe(503);
    expect(outcomes.get('GET /identifiers/{identifier}')).toBe(200);
    await query(postgres.url, 'ALTER SYSTEM RESET default_transaction_read_only');
    await query(postgres.url, 'SELECT pg_reload_conf()');
    await untilReady(200);
    expect((await client.mint()).status).toBe(201);
  });
});

describe('a server in recovery', () => {
  it('rejects writes with 503, answers reads, and is not ready until it is promoted', async () => {
    const requests = await makeAll();
    await postgres.halt();
    await postgres.launchAs('standby');
    await untilReady(503);
    const { body } = await ready();
    expect([body.code, body.detail]).toEqual(['DATABASE_UNAVAILABLE', expect.stringContaining('recovery')]);
    expect(body.detail).not.toContain('read-only');
    const outcomes = await outcomesOf(requests);
    expect([...outcomes].filter(([, status]) => status >= 500 && status !== 503)).toEqual([]);
    expect(outcomes.get('POST /identifiers a new one')).toBe(503);
    expect(outcomes.get('GET /identifiers/{identifier}')).toBe(200);
    await query(postgres.url, 'SELECT pg_promote()');
    await untilReady(200);
    expect((await client.mint()).status).toBe(201);
  });
});

describe('a start at a server in recovery', () => {
  it('waits until the server is promoted', async () => {
    await postgres.halt();
    await postgres.launchAs('standby');
    let minted: Promise<number> | undefined;
    const { code, stdout } = await runToEnd({ DATABASE_URL: postgres.url, ACCESS: 'open' }, (child) => {
      const { stdout: log, stderr } = child;
      log?.on('data', (lines: Buffer) => {
        if (lines.includes('in recovery')) void query(postgres.url, 'SELECT pg_promote()');
      });
      stderr?.on('data', (words: Buffer) => {
        const url = /Service +(http\S+)/.exec(words.toString())?.[1];
        if (url === undefined) return;
        minted = new Client(url).mint().then(({ status }) => status);
        void minted.finally(() => child.kill('SIGTERM'));
      });
    });
    expect([code, await minted]).toEqual([0, 201]);
    expect(stdout.match(/the start waits for a server that accepts writes/g)).toHaveLength(1);
  });

  it('says in words what is wrong when no primary appears, also before a migration', async () => {
    await query(postgres.url, 'CREATE DATABASE empty');
    await postgres.halt();
    await postgres.launchAs('standby');
    const empty = new URL(postgres.url);
    empty.pathname = '/empty';
    for (const url of [postgres.url, empty.href]) {
      const words = /is in recovery \(a standby\), which accepts no writes/;
      await expect(migrate(url, { waitMs: 1000 })).rejects.toThrow(words);
    }
    expect(await query(empty.href, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")).toEqual(
      [],
    );
    await query(postgres.url, 'SELECT pg_promote()');
  });

  it('ends with these words at a read-only database', async () => {
    const empty = await createDatabase('template0');
    const name = new URL(empty.url).pathname.slice(1);
    await query(empty.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await expect(migrate(empty.url, { waitMs: 0 })).rejects.toThrow(/read-only \(default_transaction_read_only/);
    const variables = { DATABASE_URL: empty.url, ACCESS: 'open', NODE_OPTIONS: FAST_CLOCK };
    const { code, stderr } = await runToEnd(variables);
    expect(code).toBe(1);
    expect(stderr).toContain('read-only');
    expect(stderr).toContain('No server that accepts writes was reached within 60 s.');
    expect(stderr).not.toMatch(/^ +at /m);
    await empty.drop();
  });
});
