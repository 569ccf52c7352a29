/** A response to a write means that the synchronous standby has it, also where an earlier request wrote it. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, Client } from '../harness/client.js';
import { FrozenStandby } from '../harness/frozen-standby.js';
import { type TestServer, startServer } from '../harness/server.js';

/** Longer than a repeat takes without a standby. */
const STILL_WAITING_MS = 1500;

let database: FrozenStandby;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  database = await FrozenStandby.start();
  // The warning of a cancelled wait is shown also where the role hides it.
  await database.query("ALTER ROLE mintmark SET client_min_messages = 'error'");
  server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  client = new Client(server.url);
});

afterAll(async () => {
  await server.stop();
  await database.stop();
});

afterEach(() => database.thaw());

const NDJSON = { 'content-type': 'application/x-ndjson' };
const line = (metadataId: string) => `${JSON.stringify({ metadataId })}\n`;
let names = 0;
const metadataName = () => `hdl:2000.01/standby-${++names}`;
const key = () => ({ 'idempotency-key': crypto.randomUUID() });

const statuses = ({ status, text, body }: Answer): number[] =>
  body === null || !text.includes('\n{')
    ? [status]
    : text
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each).status);

/** A client reads a stream as text; the others as JSON. */
async function sendLines(path: string, text: string, headers: Record<string, string>): Promise<number[]> {
  const response = await fetch(server.url + path, { method: 'POST', headers: { ...NDJSON, ...headers }, body: text });
  const answer = await response.text();
  if (response.status !== 200) return [response.status];
  return answer
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each).status);
}

/** Each sends the same request again and again, and returns the statuses of its parts. */
const WRITES: Record<string, () => () => Promise<number[]>> = {
  'a mint with a key': () => {
    const headers = key();
    return async () => statuses(await client.mint({}, headers));
  },
  'a mint with a metadata ID': () => {
    const fields = { metadataId: metadataName() };
    return async () => statuses(await client.mint(fields));
  },
  'a mint that updates': () => {
    const fields = { metadataId: metadataName(), onExisting: 'update', target: 'https://example.org/1' };
    return async () => statuses(await client.mint(fields));
  },
  'a batch with a key': () => {
    const headers = key();
    const body = { items: [{ namingAuthority: '100.102' }, { namingAuthority: '100.102' }] };
    return async () => statuses(await client.post('/identifiers/batch', body, headers));
  },
  'a stream with a key': () => {
    const [headers, lines] = [key(), line(metadataName()) + line(metadataName())];
    return () => sendLines('/identifiers/bulk?namingAuthority=100.102', lines, headers);
  },
  'a reservation with a key': () => {
    const headers = key();
    const body = { namingAuthority: '100.102', count: 2, leaseUntil: '2126-11-20T09:30:00Z' };
    return async () => statuses(await client.post('/reservations', body, headers));
  },
};

const isSuccess = (status: number) => status >= 200 && status < 300;

describe('without its standby, what is not acknowledged stays so for repeats', () => {
  it.each(Object.entries(WRITES))('%s', async (_, start) => {
    const send = start();
    await database.freeze();
    const first = send();
    await database.endWaiting();
    const lost = await first;
    expect(lost.filter(isSuccess)).toEqual([]);
    const repeat = send();
    const early = await Promise.race([repeat, pause(STILL_WAITING_MS, 'waiting' as const)]);
    if (early !== 'waiting') expect(early.filter(isSuccess)).toEqual([]);
    await database.thaw();
    await repeat;
    const again = await send();
    expect(again.filter((status) => !isSuccess(status))).toEqual([]);
  });

  it('a change, also one that finds nothing to change', async () => {
    const { body, headers } = await client.mint({ target: 'https://example.org/old' });
    const path = `/identifiers/${body.identifier}`;
    const change = (more: Record<string, string>) =>
      client.send(
        'PATCH',
        path,
        { 'content-type': 'application/merge-patch+json', 'if-match': '*', ...more },
        '{"target":"https://example.org/new"}',
      );
    expect(headers.get('etag')).not.toBeNull();
    const withKey = key();
    for (const more of [withKey, withKey, {}]) {
      await database.freeze();
      const sent = change(more);
      await database.endWaiting();
      expect(await sent.then(({ status, body: { code } }) => [status, code])).toEqual([503, 'OUTCOME_UNKNOWN']);
      await database.thaw();
    }
    expect((await change(withKey)).status).toBe(200);
  });

  it('a commit whose wait was cancelled is not acknowledged', async () => {
    const headers = key();
    await database.freeze();
    const first = client.mint({}, headers);
    await database.endWaiting('pg_cancel_backend');
    expect(await first.then(({ status, body }) => [status, body.code])).toEqual([503, 'OUTCOME_UNKNOWN']);
    await database.thaw();
    expect((await client.mint({}, headers)).status).toBe(201);
  });
});

it('a repeat writes no record of the log where no standby is configured', async () => {
  const headers = key();
  const metadata = { metadataId: metadataName() };
  await client.mint({}, headers);
  await client.mint(metadata);
  const records = async () => {
    const [row] = await database.query<{ n: string }>('SELECT wal_records::text AS n FROM pg_stat_wal');
    return Number(row!.n);
  };
  await pause(1500);
  const before = await records();
  for (let n = 0; n < 200; n++) {
    expect((await client.mint({}, headers)).status).toBe(201);
    expect((await client.mint(metadata)).status).toBe(200);
  }
  await pause(1500);
  // Background processes write some records; 400 repeats would write 800.
  expect((await records()) - before).toBeLessThan(200);
});
