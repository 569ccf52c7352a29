import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LOG_HEAD, logPage } from '../../../dist/storage/changes/log-page.js';
import { Client } from '../harness/client.js';
import { createDatabase } from '../harness/database.js';
import { type SeenEvent, followLog, readLog } from '../harness/log-reader.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

/** The position of a change of the transaction, as the service computes it. */
const POSITION = 'pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset)';

let pool: pg.Pool;
// Before the hook of the service drops the database.
afterAll(() => pool.end());

const service = useService();
beforeAll(() => {
  pool = new pg.Pool({ connectionString: service.database.url, max: 50 });
});

/** A change without meaning, written as by any transaction. */
const append = (on: Pick<pg.ClientBase, 'query'>, identifierId: number, version = 1) =>
  on.query(
    `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
     VALUES (${POSITION}, (SELECT id FROM naming_authority WHERE prefix = '2000.01'), $1, $2, 'changed', 'late', '[]')`,
    [identifierId, version],
  );

const lastCursor = async () => (await readLog(service.client)).next;

describe('GET /events', () => {
  it('has every mint in the order of the commits, with its attributes', async () => {
    const start = await lastCursor();
    const fields = { target: 'https://repo.example.org/1', alternateIds: ['demo:1'] };
    const first = (await service.client.mint(fields)).body;
    const pair = (await service.client.mint({ mintMetadataId: true })).body;
    const { events } = await readLog(service.client, start);
    expect(events.map(({ identifier }) => identifier)).toEqual([
      first.identifier,
      pair.identifier,
      pair.metadataRecord.identifier,
    ]);
    const document = {
      metadataId: null,
      target: 'https://repo.example.org/1',
      language: null,
      alternateIds: ['info:fedora/demo:1'],
      previousVersion: null,
      handleValues: null,
      state: 'active',
      leaseUntil: null,
      tombstone: null,
    };
    expect(events[0]).toEqual({
      id: expect.any(String),
      kind: 'minted',
      at: first.createdAt,
      client: 'anonymous',
      keyId: null,
      namingAuthority: '100.102',
      identifier: first.identifier,
      version: 1,
      patch: [{ op: 'add', path: '', value: document }],
    });
  });

  it('begins with the naming authorities that the service created', async () => {
    const { body } = await service.client.get('/events?limit=2');
    expect(body.items.map((event: SeenEvent) => [event.namingAuthority, event.identifier, event.kind])).toEqual([
      ['100.102', null, 'created'],
      ['2000.01', null, 'created'],
    ]);
  });

  it('returns the requested cursor at the end of the log', async () => {
    const end = await lastCursor();
    expect((await service.client.get(`/events?cursor=${end}`)).body).toEqual({ items: [], next: end, end: true });
  });

  it('continues after any event of a page, not only after its last', async () => {
    const { events } = await readLog(service.client);
    for (const [index, { id }] of events.entries()) {
      const { body } = await service.client.get(`/events?limit=1&cursor=${id}`);
      expect(body.items).toEqual(events.slice(index + 1, index + 2));
    }
  });

  it('R-15: has only the changes of one naming authority, in any case, and its cursor continues in the whole log', async () => {
    const start = await lastCursor();
    const others: string[] = [];
    for (let n = 0; n < 7; n++) {
      others.push((await service.client.mint({ namingAuthority: '2000.01' })).body.identifier as string);
      await service.client.mint();
    }
    const query = { namingAuthority: '2000.01', limit: '3' };
    const { events, next } = await readLog(service.client, start, query);
    expect(events.map(({ identifier }) => identifier)).toEqual(others);
    const first = await service.client.get(`/events?cursor=${start}&namingAuthority=2000.01&limit=3`);
    expect(first.body.items).toEqual(events.slice(0, 3));
    expect(first.body.next).toBe(events[2]!.id);
    expect(next).toBe(await lastCursor());
    await service.client.post('/naming-authorities', { namingAuthority: 'Feed', profile: 'handle' });
    const lettered = await readLog(service.client, next, { namingAuthority: 'fEED' });
    expect(lettered.events.map(({ namingAuthority, kind }) => [namingAuthority, kind])).toEqual([['Feed', 'created']]);
  });

  it('reads more changes than one page may, and waits only for matching ones', async () => {
    const start = await lastCursor();
    await pool.query(
      `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
       SELECT ${POSITION}, (SELECT id FROM naming_authority WHERE prefix = '2000.01'), 1000000 + n, 1, 'minted', 'many', '[]' FROM generate_series(1, 3000) n`,
    );
    // Behind all of them, so that it is found by one request only if that reads more than a page.
    const behind = (await service.client.mint()).body.identifier;
    const page = await service.client.get(`/events?namingAuthority=100.102&wait=30&cursor=${start}`);
    expect(page.body.items.map((event: SeenEvent) => event.identifier)).toEqual([behind]);
    const end = await lastCursor();
    const waiting = service.client.get(`/events?namingAuthority=100.102&wait=30&cursor=${end}`);
    await append(pool, 2_000_000);
    await pause(400);
    const { identifier } = (await service.client.mint()).body;
    expect((await waiting).body.items.map((event: SeenEvent) => event.identifier)).toEqual([identifier]);
  });

  it.each([
    ['cursor=x', 'INVALID_CURSOR', 'cursor'],
    ['cursor=', 'INVALID_CURSOR', 'cursor'],
    [`cursor=${Buffer.from('1').toString('base64url')}`, 'INVALID_CURSOR', 'cursor'],
    [`cursor=${Buffer.from('1 2 3').toString('base64url')}`, 'INVALID_CURSOR', 'cursor'],
    [`cursor=${Buffer.from('01 2').toString('base64url')}`, 'INVALID_CURSOR', 'cursor'],
    [`cursor=${Buffer.from('9223372036854775808 0').toString('base64url')}`, 'INVALID_CURSOR', 'cursor'],
    [`cursor=${Buffer.from('1 2').toString('base64url')}==`, 'INVALID_CURSOR', 'cursor'],
    [`cursor=${'A'.repeat(513)}`, 'INVALID_REQUEST', 'cursor'],
    ['wait=61', 'INVALID_REQUEST', 'wait'],
    ['wait=-1', 'INVALID_REQUEST', 'wait'],
    ['wait=1.5', 'INVALID_REQUEST', 'wait'],
    ['limit=0', 'INVALID_REQUEST', 'limit'],
    ['limit=1001', 'INVALID_REQUEST', 'limit'],
    ['namingAuthority=1..2', 'INVALID_NAMING_AUTHORITY', 'namingAuthority'],
    ['since=1', 'INVALID_REQUEST', 'since'],
  ])('rejects ?%s', async (query, code, parameter) => {
    const answer = await service.client.get(`/events?${query}`);
    expect([answer.status, answer.body.code, answer.body.errors[0].parameter]).toEqual([400, code, parameter]);
  });

  it('reads the log and its end by the primary key, however long it is', async () => {
    await pool.query('ANALYZE change');
    const plan = async (sql: string, values: unknown[]) =>
      (await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values)).rows
        .map((row) => row['QUERY PLAN'])
        .join('\n');
    const pages = (['at', '-at'] as const).map((order) => {
      const { text, values = [] } = logPage({ position: 1000n, id: 0n }, { limit: 50, order, filter: null }, 51);
      return plan(text, values);
    });
    for (const found of [...(await Promise.all(pages)), await plan(LOG_HEAD, [])]) {
      expect(found).toMatch(/Index (Only )?Scan (Backward )?using change_pkey on change/);
      expect(found).not.toMatch(/Seq Scan on change\b/);
    }
  });
});

describe('a long poll', () => {
  it('returns as soon as there is a change', async () => {
    const end = await lastCursor();
    const begun = performance.now();
    const waiting = service.client.get(`/events?wait=30&cursor=${end}`);
    await pause(300);
    const { identifier } = (await service.client.mint()).body;
    expect((await waiting).body.items.map((event: SeenEvent) => event.identifier)).toEqual([identifier]);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it('returns an empty page with a cursor after the timeout', async () => {
    const end = await lastCursor();
    const begun = performance.now();
    expect((await service.client.get(`/events?wait=1&cursor=${end}`)).body).toEqual({
      items: [],
      next: end,
      end: true,
    });
    expect(performance.now() - begun).toBeGreaterThan(990);
  });

  it('two hundred of them send no more queries than one', async () => {
    const end = await lastCursor();
    const transactions = async () => {
      const { rows } = await pool.query(
        'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
      );
      return rows[0].n as number;
    };
    const transactionsBeside = async () => {
      const waits = Array.from({ length: 200 }, () => service.client.get(`/events?wait=5&cursor=${end}`));
      await pause(2500);
      const before = await transactions();
      await pause(2000);
      const transactionCount = (await transactions()) - before;
      // Each of them waited, and was not rejected.
      for (const { body } of await Promise.all(waits)) expect(body).toEqual({ items: [], next: end, end: true });
      return transactionCount;
    };
    // Statistics are late on a busy machine, and then have the first queries of the requests too.
    let fewest = Infinity;
    for (let attempt = 0; attempt < 3 && fewest >= 60; attempt++) fewest = Math.min(fewest, await transactionsBeside());
    // Twenty polls in two seconds, and the transactions of PostgreSQL and of this test.
    expect(fewest).toBeLessThan(60);
    expect(fewest).toBeGreaterThan(5);
  });

  it('ends at once when the service stops, and so does a stream', async () => {
    const database = await createDatabase();
    const server = await startServer({ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
    const client = new Client(server.url);
    const { next } = await readLog(client);
    const stream = await fetch(`${server.url}/events?cursor=${next}`, { headers: { accept: 'text/event-stream' } });
    const waiting = client.get(`/events?wait=60&cursor=${next}`);
    await pause(500);
    const begun = performance.now();
    const stopped = server.stop();
    expect((await waiting).body).toEqual({ items: [], next, end: true });
    expect(await stream.text()).toMatch(/^retry: \d+\nid: \S+\n\n/);
    expect((await stopped).code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(server.stdout()).not.toContain('aborted at the end of the drain');
    await database.drop();
  });
});

describe('writers that commit late', () => {
  it('lose no event and repeat none, and the versions of each identifier ascend', async () => {
    const start = await lastCursor();
    const reader = followLog(service.client, start);
    const minted: string[] = [];
    let mints = true;
    const minting = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (mints) minted.push((await service.client.mint()).body.identifier as string);
      }),
    );
    // Each gets its position before others get later ones and commit first.
    const late = Array.from({ length: 40 }, async (_, index) => {
      const writer = await pool.connect();
      await writer.query('BEGIN');
      await append(writer, 3_000_000 + index);
      await pause(50 + ((index * 7919) % 400));
      await writer.query(index % 4 === 3 ? 'ROLLBACK' : 'COMMIT');
      writer.release();
    });
    await Promise.all(late);
    mints = false;
    await minting;
    await pause(300);
    const events = await reader.stop();
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const ofMints = events.flatMap(({ identifier }) => identifier ?? []);
    expect(ofMints.sort()).toEqual(minted.sort());
    expect(events.filter(({ identifier }) => identifier === null)).toHaveLength(30);
    expect(events).toEqual((await readLog(service.client, start)).events);
  });

  it('delay changes that were committed after they began, until they end', async () => {
    const start = await lastCursor();
    const writer = await pool.connect();
    await writer.query('BEGIN');
    await append(writer, 4_000_000);
    const { identifier } = (await service.client.mint()).body;
    expect((await readLog(service.client, start)).events).toEqual([]);
    await writer.query('COMMIT');
    writer.release();
    expect((await readLog(service.client, start)).events.map((event) => event.identifier)).toEqual([null, identifier]);
  });
});
