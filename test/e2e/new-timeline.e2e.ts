import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, coded } from './harness/client.js';
import { query } from './harness/database.js';
import { type FailingOver, startFailingOver } from './harness/failing-over.js';
import { type SeenEvent, readLog, untilRead } from './harness/log-reader.js';
import { type TestServer, startServer } from './harness/server.js';

// Real: PostgreSQL is stopped, and a copy of an earlier state is promoted in its place, while two services run.

let postgres: FailingOver;
let servers: TestServer[];
let clients: Client[];

/** What the consumer had read of the first server, and what was minted there after the copy. */
let survived: { events: SeenEvent[]; next: string };
let lost: { events: SeenEvent[]; next: string };

const start = () =>
  startServer({ DATABASE_URL: postgres.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102', RECORD_CACHE: '1000' });

/** Mints until the services have sessions again; the first statements of new sessions may fail. */
async function mint(count: number, client = clients[0]!): Promise<string[]> {
  const minted: string[] = [];
  while (minted.length < count) {
    const { status, body } = await client.mint();
    if (status === 201) minted.push(body.identifier as string);
    else await pause(50);
  }
  return minted;
}

async function untilAnswered(path: string, client = clients[0]!) {
  for (;;) {
    const answer = await client.get(path);
    if (answer.status !== 503) return answer;
    await pause(50);
  }
}

const identifiers = (events: readonly SeenEvent[]) => events.map(({ identifier }) => identifier);

beforeAll(async () => {
  postgres = await startFailingOver();
  servers = await Promise.all([start(), start()]);
  clients = servers.map(({ url }) => new Client(url));
  await mint(20);
  await untilRead(clients[0]!, 21);
  survived = await readLog(clients[0]!);
  await postgres.standBy();
  await mint(30, clients[1]);
  await untilRead(clients[1]!, 30, survived.next);
  lost = await readLog(clients[1]!, survived.next);
  await postgres.failOver();
}, 120_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
}, 60_000);

describe('a server that was promoted without the last events', () => {
  it('tells a consumer before the first write that its place is beyond the end', async () => {
    expect(lost.events).toHaveLength(30);
    const refused = await untilAnswered(`/events?cursor=${lost.next}`);
    expect(coded(refused)).toEqual([410, 'CURSOR_AHEAD']);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
  });

  it('assigns no position of an event that was lost, to mints of two services right after the promotion', async () => {
    const [before] = await query<{ last: string }>(postgres.url, 'SELECT max(position) AS last FROM event');
    const minted = (await Promise.all(clients.map((client) => mint(60, client)))).flat();
    const { events } = await readLog(clients[0]!, survived.next);
    expect(identifiers(events).sort()).toEqual(minted.sort());
    // The lost transactions and at least one more were assigned by the first server.
    const [after] = await query<{ first: string }>(
      postgres.url,
      `SELECT min(position) AS first FROM event WHERE position > ${before!.last}`,
    );
    expect(BigInt(after!.first) - BigInt(before!.last)).toBeGreaterThan(2n ** 32n);
  });

  it('refuses the cursor of each event that was lost, also behind the new events', async () => {
    for (const { id } of lost.events) {
      expect(coded(await clients[1]!.get(`/events?cursor=${id}`))).toEqual([410, 'CURSOR_AHEAD']);
    }
  });

  it('accepts the cursor of each event that it has', async () => {
    for (const { id } of survived.events) expect((await clients[1]!.get(`/events?cursor=${id}`)).status).toBe(200);
  });

  it('says where to start again: each event that it has follows, or was read before', async () => {
    const { body } = await clients[1]!.get(`/events?cursor=${lost.next}`);
    const { events } = await readLog(clients[1]!, body.next as string);
    const all = (await readLog(clients[0]!)).events;
    const again = new Set(identifiers([...survived.events, ...events]));
    expect(all.filter(({ identifier }) => !again.has(identifier))).toEqual([]);
    expect(events.length).toBeGreaterThanOrEqual(120);
  });

  it('refuses the Last-Event-ID of a stream, and a HEAD request', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': lost.events[3]!.id };
    const refused = await clients[0]!.get('/events', headers);
    expect([...coded(refused), typeof refused.body.next]).toEqual([410, 'CURSOR_AHEAD', 'string']);
    const head = await fetch(`${clients[0]!.base}/events?cursor=${lost.next}`, { method: 'HEAD' });
    expect(head.status).toBe(410);
  });

  it('does not know the identifiers that were lost, though a service had cached them', async () => {
    for (const { identifier } of lost.events.slice(0, 3)) {
      expect((await clients[1]!.get(`/identifiers/${identifier}`)).status).toBe(404);
    }
  });
});
