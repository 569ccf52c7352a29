import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { type TestServer, startServer } from '../harness/server.js';
import { sendLines } from '../harness/stream.js';

const NAMING_AUTHORITY = '100.102';

let database: TestDatabase;
let sql: pg.Client;
let servers: TestServer[];
let clients: Client[];
let existing: string;

beforeAll(async () => {
  database = await createDatabase();
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  const variables = { DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: NAMING_AUTHORITY };
  servers = await Promise.all([startServer(variables), startServer(variables)]);
  clients = servers.map(({ url }) => new Client(url));
  existing = (await clients[0]!.mint()).body.identifier;
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await sql.end();
  await database.drop();
});

/** A request, reduced to its status: that of the operation, or of the first line of a stream. */
type Send = (server: number, key: string) => Promise<number>;

const posted =
  (path: string, body: unknown): Send =>
  async (server, key) =>
    (await clients[server]!.post(path, body, { 'idempotency-key': key })).status;

const mint = posted('/identifiers', { namingAuthority: NAMING_AUTHORITY });
const batch = posted('/identifiers/batch', { namingAuthority: NAMING_AUTHORITY, count: 3 });
const reserve = posted('/reservations', { namingAuthority: NAMING_AUTHORITY, count: 2, leaseUntil: NEXT_YEAR });
const patch: Send = async (server, key) => {
  const headers = { 'content-type': 'application/json', 'if-match': '*', 'idempotency-key': key };
  const body = JSON.stringify({ target: `https://example.org/${key}` });
  return (await clients[server]!.send('PATCH', `/identifiers/${existing}`, headers, body)).status;
};
const stream: Send = async (server, key) => {
  const url = `${servers[server]!.url}/identifiers/bulk?namingAuthority=${NAMING_AUTHORITY}`;
  const [line] = await sendLines(url, '{}\n', { 'idempotency-key': key });
  return line.status as number;
};

/** The number of changes. */
async function changes(): Promise<number> {
  const { rows } = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM event');
  return rows[0]!.n;
}

describe('two different requests with one Idempotency-Key at once, through two processes', () => {
  it.each([
    ['a mint and a batch', mint, 1, batch, 3, 40],
    ['a mint and a stream', mint, 1, stream, 1, 20],
    ['a batch and a stream', batch, 3, stream, 1, 20],
    ['a mint and a reservation', mint, 1, reserve, 2, 20],
    ['a mint and a change', mint, 1, patch, 1, 20],
  ])('%s: one takes effect, the other returns 422', async (_, first, firstChanges, second, secondChanges, trials) => {
    for (let trial = 0; trial < trials; trial++) {
      const key = randomUUID();
      const before = await changes();
      // Both orders, and both processes for each request.
      const sends = [() => first(trial % 2, key), () => second((trial + 1) % 2, key)];
      const statuses = await Promise.all((trial % 4 < 2 ? sends : sends.reverse()).map((send) => send()));
      const [ofFirst, ofSecond] = trial % 4 < 2 ? statuses : [...statuses].reverse();
      const made = (await changes()) - before;
      if (ofFirst === 422) expect([made, ofSecond! < 300]).toEqual([secondChanges, true]);
      else expect([made, ofSecond, ofFirst! < 300]).toEqual([firstChanges, 422, true]);
    }
  });

  it('the same stream sent twice concurrently mints one identifier for each line', async () => {
    const key = randomUUID();
    const lines = Array.from({ length: 400 }, (_, i) => `{"clientRef":"${i}"}\n`).join('');
    const results = await Promise.all(
      servers.map(({ url }) =>
        sendLines(`${url}/identifiers/bulk?namingAuthority=${NAMING_AUTHORITY}`, lines, { 'idempotency-key': key }),
      ),
    );
    const identifiers = results.map((sent) => sent.map(({ identifier }) => identifier));
    expect(new Set(identifiers[0]).size).toBe(400);
    expect(identifiers[1]).toEqual(identifiers[0]);
  });
});
