import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CachedService, startCachedService } from '../harness/cached-service.js';
import { migrate } from '../../../dist/database/migrations.js';
import { query } from '../harness/database.js';
import { readLog } from '../harness/log-reader.js';
import { Postgres } from '../harness/postgres.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

/** Nothing is served that was changed earlier than this. */
const MAX_AGE_MS = 1000;

/** A cluster of its own: the long transactions delay the events of every database. */
let postgres: Postgres;
let database: { readonly url: string };
let one: CachedService;
let other: CachedService;

beforeAll(async () => {
  postgres = await Postgres.start();
  database = await createDatabase('cache');
  await migrate(database.url);
  await query(database.url, "INSERT INTO naming_authority (prefix) VALUES ('100.102'), ('2000.01')");
  const variables = { DATABASE_URL: database.url };
  [one, other] = await Promise.all([startCachedService(variables), startCachedService(variables)]);
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await postgres.stop();
});

async function createDatabase(name: string): Promise<{ readonly url: string }> {
  await query(postgres.url, `CREATE DATABASE ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return { url: url.href };
}

const targetOf = (n: number) => `https://repo.example.org/${n}`;

async function mint(by = one, body: object = {}): Promise<string> {
  const { status, body: minted } = await by.client.mint({ target: targetOf(0), ...body });
  expect(status).toBe(201);
  return minted.identifier as string;
}

async function change(identifier: string, body: object, by = one): Promise<void> {
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const { status } = await by.client.send('PATCH', `/identifiers/${identifier}`, headers, JSON.stringify(body));
  expect(status).toBe(200);
}

/** Reads until the entry is served from memory. */
async function fill(service: CachedService, identifier: string): Promise<void> {
  for (let last = -1; ;) {
    await service.resolve(identifier);
    const { hits } = await service.figures();
    if (last >= 0 && hits > last) return;
    last = hits;
    await pause(20);
  }
}

const numberOf = (target: string | null) => Number(target?.slice(target.lastIndexOf('/') + 1));

/** Reads without a pause. @returns what was read too late, while `work` ran. */
async function watch(
  identifier: string,
  changes: readonly { readonly n: number; readonly at: number }[],
  work: Promise<unknown>,
) {
  const state = { isOver: false };
  void work.finally(() => (state.isOver = true));
  const late: string[] = [];
  let reads = 0;
  while (!state.isOver) {
    const sentAt = performance.now();
    const least = Math.max(0, ...changes.filter(({ at }) => at <= sentAt - MAX_AGE_MS).map(({ n }) => n));
    const found = await other.resolve(identifier);
    reads += 1;
    if (numberOf(found!.target) < least) late.push(`${found!.target} was read, not ${least}`);
    await pause(2);
  }
  await work;
  return { late, reads };
}

/** Repeats a request while its result holds. @returns when the last such request was sent, so that a slow response is no failure. */
async function lastWhile(holds: () => Promise<boolean>): Promise<number> {
  let last = performance.now();
  for (;;) {
    const sentAt = performance.now();
    if (!(await holds())) return last;
    last = sentAt;
    await pause(5);
  }
}

describe('two processes', () => {
  it('serve nothing that the other one changed a second ago, and most reads from memory', async () => {
    const identifier = await mint();
    await fill(other, identifier);
    const before = await other.figures();
    const changes: { n: number; at: number }[] = [];
    const work = async () => {
      for (let n = 1; n <= 20; n++) {
        await change(identifier, { target: targetOf(n) });
        changes.push({ n, at: performance.now() });
        await pause(100 + 40 * (n % 7));
      }
      await pause(1500);
    };
    const { late, reads } = await watch(identifier, changes, work());
    expect(late).toEqual([]);
    const { hits } = await other.figures();
    expect((hits - before.hits) / reads).toBeGreaterThan(0.5);
    expect(numberOf((await other.resolve(identifier))!.target)).toBe(20);
  });

  it('serve their own changes at once', async () => {
    const identifier = await mint();
    for (let n = 1; n <= 20; n++) {
      await fill(one, identifier);
      await change(identifier, { target: targetOf(n) });
      expect(numberOf((await one.resolve(identifier))!.target)).toBe(n);
    }
    await one.client.post(`/identifiers/${identifier}/withdraw`, { reason: 'Deposited twice.' });
    expect((await one.resolve(identifier))!.state).toBe('withdrawn');
  });

  it('find what they mint at once, and what the other one mints within a second', async () => {
    for (let n = 1; n <= 5; n++) {
      const guid = `F58FB49EB1F848F0A606E84CEF294BE${n}`;
      const identifier = `100.102/${guid}`;
      for (let read = 0; read < 3; read++) {
        expect([await one.resolve(identifier), await other.resolve(identifier)]).toEqual([null, null]);
      }
      await mint(one, { guid });
      const minted = performance.now();
      expect(await one.resolve(identifier)).not.toBeNull();
      const missed = await lastWhile(async () => (await other.resolve(identifier)) === null);
      expect(missed - minted).toBeLessThan(MAX_AGE_MS + 200);
    }
  });

  it('serve a new resolver of a naming authority within a second, and their own at once', async () => {
    const identifier = await mint(one, { namingAuthority: '2000.01' });
    await Promise.all([fill(one, identifier), fill(other, identifier)]);
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const body = JSON.stringify({ resolver: { scheme: 'https', authority: 'resolver.example' } });
    expect((await one.client.send('PATCH', '/naming-authorities/2000.01', headers, body)).status).toBe(200);
    expect((await one.resolve(identifier))!.resolver?.authority).toBe('resolver.example');
    await pause(MAX_AGE_MS);
    expect((await other.resolve(identifier))!.resolver?.authority).toBe('resolver.example');
  });

  it('serve a reservation until the end of its lease, and not after it', async () => {
    const leaseUntil = new Date(Date.now() + 4000).toISOString();
    const { body } = await one.client.post('/reservations', { namingAuthority: '100.102', count: 1, leaseUntil });
    const [reserved] = body.items ?? body.items ?? body.reservations;
    const identifier: string = reserved.identifier ?? reserved;
    await fill(other, identifier);
    const before = await other.figures();
    let reads = 0;
    for (;;) {
      reads += 1;
      const sentAt = Date.now();
      const { state } = (await other.resolve(identifier))!;
      if (sentAt >= Date.parse(leaseUntil)) {
        expect(state).toBe('withdrawn');
        break;
      }
      await pause(2);
    }
    // Most of them from memory, however many a slow machine makes.
    expect((await other.figures()).hits - before.hits).toBeGreaterThan(reads / 2);
  });
});

describe('a process that was stopped for two seconds', () => {
  it('serves nothing that was changed in the meantime', async () => {
    const identifiers = await Promise.all(Array.from({ length: 10 }, () => mint()));
    for (const identifier of identifiers) await fill(other, identifier);
    other.child.kill('SIGSTOP');
    for (const identifier of identifiers) await change(identifier, { target: targetOf(1) });
    await pause(2000);
    // These requests wait for the process, and are the first that it handles.
    const waiting = identifiers.map((identifier) => other.resolve(identifier));
    await pause(100);
    other.child.kill('SIGCONT');
    const found = await Promise.all(waiting);
    expect(found.map((record) => numberOf(record!.target))).toEqual(identifiers.map(() => 1));
  });
});

describe('an open transaction', () => {
  async function open(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN; SELECT pg_current_xact_id()');
    return client;
  }

  it('of ten seconds in another database holds up neither the event feed nor the cache', async () => {
    const elsewhere = await createDatabase('elsewhere');
    const long = await open(elsewhere.url);
    try {
      const identifier = await mint();
      await fill(other, identifier);
      const changes: { n: number; at: number }[] = [];
      const work = async () => {
        for (let n = 1; n <= 20; n++) {
          await change(identifier, { target: targetOf(n) });
          changes.push({ n, at: performance.now() });
          await pause(400);
        }
        await pause(2000);
      };
      const before = await other.figures();
      const { late, reads } = await watch(identifier, changes, work());
      expect(late).toEqual([]);
      expect(((await other.figures()).hits - before.hits) / reads).toBeGreaterThan(0.5);
      const { events } = await readLog(one.client);
      expect(events.map((event) => event.identifier)).toContain(identifier);
    } finally {
      await long.end();
    }
  });

  it('that has a number for long is seen within a second of its commit', async () => {
    const identifier = await mint();
    const long = await open(database.url);
    const { rows } = await long.query<{ id: string }>(
      "SELECT id FROM identifier WHERE upper(replace(guid::text, '-', '')) = $1",
      [identifier.split('/')[1]],
    );
    await fill(other, identifier);
    await long.query(
      `INSERT INTO change (position, id, naming_authority_id, identifier_id, version, kind, client, at, patch)
       SELECT position, id, naming_authority_id, identifier_id, version, kind, client, at, patch FROM first_event WHERE id = $1`,
      [rows[0]!.id],
    );
    await long.query(
      `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
       SELECT pg_current_xact_id()::text::bigint + value, (SELECT id FROM naming_authority WHERE prefix = '100.102'), $1, 2, 'changed', 'hand', '[]' FROM log_offset`,
      [rows[0]!.id],
    );
    await long.query('UPDATE identifier SET target = $2, version = 2, is_first_event = false WHERE id = $1', [
      rows[0]!.id,
      targetOf(1),
    ]);
    for (let n = 0; n < 30; n++) {
      expect(numberOf((await other.resolve(identifier))!.target)).toBe(0);
      await pause(50);
    }
    const another = await mint();
    await change(another, { target: targetOf(5) });
    await long.query('COMMIT');
    const committed = performance.now();
    const stale = await lastWhile(async () => numberOf((await other.resolve(identifier))!.target) === 0);
    expect(stale - committed).toBeLessThan(MAX_AGE_MS);
    await long.end();
  });
});

describe('a cache whose pools are full', () => {
  it('serves entries from memory, because the polls have a connection of their own', async () => {
    const identifier = await mint();
    await fill(other, identifier);
    const locking = new pg.Client({ connectionString: database.url });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE identifier IN ACCESS EXCLUSIVE MODE');
    const unknown = Array.from({ length: 50 }, (_, n) => other.resolve(`100.102/${String(n).padStart(32, 'A')}`));
    const lists = Array.from({ length: 40 }, () => other.client.get('/identifiers'));
    await pause(2000);
    const before = await other.figures();
    for (let n = 0; n < 20; n++) await other.resolve(identifier);
    expect((await other.figures()).hits - before.hits).toBe(20);
    await locking.end();
    await Promise.allSettled([...unknown, ...lists]);
  });
});

describe('a process that has lost its database', () => {
  it('serves entries for 800 ms at most, then fails, and serves them again when the database is back', async () => {
    const proxy = await TcpProxy.before(database.url);
    const limits = { DATABASE_CONNECT_TIMEOUT_MS: '500', DATABASE_STATEMENT_TIMEOUT_MS: '500' };
    const cut = await startCachedService({ DATABASE_URL: proxy.addressOf(database.url), ...limits });
    const identifier = await mint();
    await fill(cut, identifier);
    await proxy.set('gone');
    const lost = performance.now();
    const last = await lastWhile(async () => (await cut.resolve(identifier).catch(() => null)) !== null);
    expect(last - lost).toBeLessThan(850);
    await change(identifier, { target: targetOf(1) });
    await proxy.set('reject');
    await expect(cut.resolve(identifier)).rejects.toThrow();
    await proxy.set('pass');
    const end = performance.now() + 20_000;
    const isBack = () =>
      cut.resolve(identifier).then(
        (found) => numberOf(found!.target) === 1,
        () => false,
      );
    while (!(await isBack()) && performance.now() < end) await pause(50);
    await fill(cut, identifier);
    expect(numberOf((await cut.resolve(identifier))!.target)).toBe(1);
    await cut.stop();
    await proxy.close();
  });
});

describe('a cache that is off', () => {
  it('reads the database each time and makes no polls', async () => {
    const variables = { DATABASE_URL: database.url, RECORD_CACHE_BYTES: '0' };
    const uncached = await startCachedService(variables);
    const identifier = await mint();
    for (let n = 1; n <= 5; n++) {
      await change(identifier, { target: targetOf(n) });
      expect(numberOf((await uncached.resolve(identifier))!.target)).toBe(n);
    }
    expect(await uncached.figures()).toEqual({ hits: 0, misses: 5, entries: 0 });
    await pause(500);
    const text = await (await fetch(`${uncached.client.base}/metrics`)).text();
    expect(text).toMatch(/^mintmark_record_cache_poll_age_seconds NaN$/im);
    await uncached.stop();
  });
});

describe('the metrics', () => {
  it('count the reads of the cache, its entries and the age of the last poll', async () => {
    const identifier = await mint();
    await fill(one, identifier);
    const text = await (await fetch(`${one.client.base}/metrics`)).text();
    const { hits, misses, entries } = await one.figures();
    expect(text).toContain(`mintmark_record_cache_reads_total{result="hit"} ${hits}\n`);
    expect(text).toContain(`mintmark_record_cache_reads_total{result="miss"} ${misses}\n`);
    expect(text).toContain(`mintmark_record_cache_entries ${entries}\n`);
    const age = Number(/^mintmark_record_cache_poll_age_seconds (.+)$/m.exec(text)?.[1]);
    expect(age).toBeLessThan(0.8);
    const bytes = Number(/^mintmark_record_cache_bytes (.+)$/m.exec(text)?.[1]);
    expect(bytes / entries).toBeGreaterThan(500);
  });
});
