import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ChangeReader } from '../../../dist/storage/changes/change-reader.js';
import { type Answer, Client, coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { type FailingOver, startFailingOver } from '../harness/failing-over.js';
import { type SeenEvent, readLog, untilRead } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';

// Real: PostgreSQL is stopped, and a copy of an earlier state is promoted in its place, while two services run.

interface Read {
  readonly events: SeenEvent[];
  readonly next: string;
}

let postgres: FailingOver;
let servers: TestServer[];
let clients: Client[];

/** What the consumer had read of the first server: before the copy, and after it. */
let survived: Read;
let lost: Read;

/** Consumers that follow the log through the failover, from the end of what was lost and of what was not. */
let behindLost: Promise<Read & { rejected: Answer | null }>;
let behindSurvived: Promise<Read & { rejected: Answer | null }>;
let stream: Promise<string>;

const start = () => startServer({ DATABASE_URL: postgres.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });

/** Mints until the services have sessions again; the first statements of new sessions may fail. */
async function mint(count: number, client: Client, fields: object = {}): Promise<string[]> {
  const minted: string[] = [];
  while (minted.length < count) {
    const { status, body } = await client.mint(fields);
    if (status === 201) minted.push(body.identifier as string);
    else await pause(50);
  }
  return minted;
}

/** Long polls until there are `count` events, or one is rejected. */
async function follow(client: Client, after: string, count: number): Promise<Read & { rejected: Answer | null }> {
  const events: SeenEvent[] = [];
  for (let next = after; ;) {
    const answer = await client.get(`/events?limit=7&wait=5&cursor=${next}`);
    if (answer.status === 503) await pause(50);
    else if (answer.status !== 200) return { events, next, rejected: answer };
    else {
      events.push(...(answer.body.items as SeenEvent[]));
      next = answer.body.next as string;
      if (events.length >= count) return { events, next, rejected: null };
    }
  }
}

/** Reads streams from a place until one has an event or is rejected, as a browser does. @returns what was read. */
async function followStream(client: Client, after: string): Promise<string> {
  for (let text = ''; ;) {
    if (text.includes('event: ')) return text;
    const headers = { accept: 'text/event-stream', 'last-event-id': after };
    const answer = await fetch(`${client.base}/events`, { headers });
    const read = await answer.text().catch(() => '');
    if (answer.status === 503) await pause(50);
    else if (answer.status !== 200) return `${text}${answer.status}`;
    else text += read;
  }
}

const resolve = (identifier: string) => fetch(`${clients[1]!.base}/${identifier}`, { redirect: 'manual' });

const identifiers = (events: readonly SeenEvent[]) => events.map(({ identifier }) => identifier);

let minted: string[];

/** What requests return while a standby has taken the place of the primary and is not promoted. */
let whileInRecovery: number[];

async function answersInRecovery(): Promise<number[]> {
  await query(postgres.url, 'SELECT 1');
  const requests = clients.flatMap((client) => [
    () => client.get(`/events?cursor=${lost.next}`),
    () => client.get(`/events?cursor=${survived.next}`),
    () => client.mint(),
  ]);
  const statuses: number[] = [];
  for (const send of [...requests, ...requests, ...requests]) statuses.push((await send()).status);
  return statuses;
}

beforeAll(async () => {
  postgres = await startFailingOver();
  servers = await Promise.all([start(), start()]);
  clients = servers.map(({ url }) => new Client(url));
  await mint(20, clients[0]!);
  await untilRead(clients[0]!, 21);
  survived = await readLog(clients[0]!);
  await postgres.standBy();
  await mint(30, clients[1]!, { target: 'https://a.org/' });
  await untilRead(clients[1]!, 30, survived.next);
  lost = await readLog(clients[1]!, survived.next);
  for (const { identifier } of lost.events) expect((await resolve(identifier!)).status).toBe(302);
  behindLost = follow(clients[0]!, lost.next, 1);
  stream = followStream(clients[1]!, lost.next);
  await pause(300);
  await postgres.standIn();
  whileInRecovery = await answersInRecovery();
  await postgres.promote();
  behindSurvived = follow(clients[1]!, survived.next, 120);
  minted = (await Promise.all(clients.map((client) => mint(60, client)))).flat();
}, 120_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
}, 60_000);

describe('a reader of a log that has nothing before its place', () => {
  it('starts again at the begin of the log', async () => {
    const pool = new pg.Pool({ connectionString: postgres.url });
    try {
      expect(await new ChangeReader(pool).restart({ position: 1n, id: 1n })).toEqual({ position: 0n, id: 0n });
    } finally {
      await pool.end();
    }
  });
});

describe('a server that was promoted without the last events', () => {
  it('answers no request about the log before it is promoted', () => {
    expect(new Set(whileInRecovery)).toEqual(new Set([503]));
  });

  it('assigns no position of an event that was lost', async () => {
    const [row] = await query<{ old: number; step: string }>(
      postgres.url,
      `WITH place AS (SELECT position, lag(position) OVER (ORDER BY position) AS before FROM event)
       SELECT (SELECT count(*)::int FROM event) AS old, max(position - before) AS step FROM place`,
    );
    expect(row!.old).toBe(21 + 120);
    expect(BigInt(row!.step)).toBeGreaterThan(2n ** 32n);
  });

  it('gives a consumer that had read nothing of what was lost each new event once', async () => {
    const { events, rejected } = await behindSurvived;
    expect(rejected).toBeNull();
    expect(identifiers(events).sort()).toEqual([...minted].sort());
  });

  it('rejects a consumer that had read it, and a stream', async () => {
    const { events, rejected } = await behindLost;
    expect([events, ...coded(rejected!)]).toEqual([[], 410, 'CURSOR_AHEAD']);
    expect(rejected!.headers.get('cache-control')).toBe('no-store');
    expect(rejected!.headers.get('content-type')).toContain('application/problem+json');
    const text = await stream;
    expect(text).toMatch(/410$/);
    expect(text).not.toContain('event: minted');
  });

  it('rejects the cursor of each event that was lost, also with a filter, and accepts those that it has', async () => {
    for (const { id } of lost.events) {
      expect(coded(await clients[1]!.get(`/events?cursor=${id}`))).toEqual([410, 'CURSOR_AHEAD']);
    }
    const filtered = await clients[1]!.get(`/events?namingAuthority=2.3&cursor=${lost.next}`);
    expect(coded(filtered)).toEqual([410, 'CURSOR_AHEAD']);
    for (const { id } of survived.events) expect((await clients[1]!.get(`/events?cursor=${id}`)).status).toBe(200);
  });

  it('says where to start again: each event that it has follows, or was read before', async () => {
    const { body } = await clients[1]!.get(`/events?cursor=${lost.next}`);
    const { events } = await readLog(clients[1]!, body.next as string);
    const all = (await readLog(clients[0]!)).events;
    const known = new Set(identifiers([...survived.events, ...events]));
    expect(all.filter(({ identifier }) => !known.has(identifier))).toEqual([]);
    expect(identifiers(events)).toEqual(expect.arrayContaining(minted));
  });

  it('rejects the Last-Event-ID of a stream, and a HEAD request', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': lost.events[3]!.id };
    const rejected = await clients[0]!.get('/events', headers);
    expect([...coded(rejected), typeof rejected.body.next]).toEqual([410, 'CURSOR_AHEAD', 'string']);
    const head = await fetch(`${clients[0]!.base}/events?cursor=${lost.next}`, { method: 'HEAD' });
    expect(head.status).toBe(410);
  });

  it('does not resolve the identifiers that were lost, though a service had them in its cache', async () => {
    for (const { identifier } of lost.events) expect((await resolve(identifier!)).status).toBe(404);
  });

  it('accepts the cursor of the end on each service, again and again', async () => {
    const { next } = await readLog(clients[0]!);
    for (const client of [...clients, ...clients]) {
      expect((await client.get(`/events?cursor=${next}`)).body).toEqual({ items: [], next, end: true });
    }
  });
});

describe('a server whose files were replaced by an earlier copy', () => {
  it('assigns no position again after the service has started, and rejects the cursors of what was lost', async () => {
    const end = await readLog(clients[0]!);
    await postgres.standBy();
    await mint(10, clients[0]!);
    await untilRead(clients[0]!, 10, end.next);
    const gone = await readLog(clients[0]!, end.next);
    await Promise.all(servers.map((server) => server.stop()));
    await postgres.restore();
    servers = await Promise.all([start(), start()]);
    clients = servers.map(({ url }) => new Client(url));
    const again = await mint(20, clients[1]!);
    await untilRead(clients[1]!, 20, end.next);
    expect(identifiers((await readLog(clients[1]!, end.next)).events)).toEqual(again);
    for (const { id } of gone.events) {
      expect(coded(await clients[1]!.get(`/events?cursor=${id}`))).toEqual([410, 'CURSOR_AHEAD']);
    }
  });
});
