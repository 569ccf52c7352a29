import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../dist/config/config.js';
import { createPools } from '../../../dist/database/pool.js';
import { createLogger } from '../../../dist/logging/logger.js';
import { type Answer, Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

const POOL_SIZE = 4;
/** The connections of the general pool, and those of the hot pool. */
const MOST_SESSIONS = 2 * POOL_SIZE;
const CONNECT_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 2000;

/**
 * The sum of the limits of a wait for a connection, a connect, its first statement and the statement of the request.
 */
const LONGEST_WAIT_MS = 2 * CONNECT_TIMEOUT_MS + 2 * (STATEMENT_TIMEOUT_MS + 1000);

const RECOVERY_MS = 5000;

/** The time for which a result of `GET /health/ready` is used. */
const CHECK_AGE_MS = 1000;

let database: TestDatabase;
let proxy: TcpProxy;
let server: TestServer;
let client: Client;
let admin: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  proxy = await TcpProxy.before(database.url);
  server = await startServer({
    DATABASE_URL: proxy.addressOf(database.url),
    ACCESS: 'open',
    NAMING_AUTHORITIES: '100.102',
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_TIMEOUT_MS),
    DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
  });
  client = new Client(server.url);
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});

afterAll(async () => {
  await server.stop();
  await proxy.close();
  await admin.end();
  await database.drop();
});

beforeEach(async () => {
  proxy.breakAt(null);
  await proxy.set('pass');
  // Several connections are open before the fault.
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.mint()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  await pause(CHECK_AGE_MS + 100);
});

/** Concurrent requests that use the database, more than the pool has connections. */
const askEverything = (): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: 10 }, () => [
      client.get('/health/ready'),
      client.mint(),
      client.get('/identifiers'),
      client.get('/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5'),
    ]).flat(),
  );

/** @param wasSent whether a mint can have been sent over a connection that was open before: its outcome is unknown. */
async function expectOutage(wasSent = false): Promise<void> {
  const answers = await within(LONGEST_WAIT_MS, askEverything());
  const codes = answers.map(({ status, body }, index) => {
    const isUnknown = wasSent && index % 4 === 1 && body.code === 'OUTCOME_UNKNOWN';
    return `${status} ${isUnknown ? 'DATABASE_UNAVAILABLE' : body.code}`;
  });
  expect(new Set(codes)).toEqual(new Set(['503 DATABASE_UNAVAILABLE']));
  expect(answers.every(({ headers }) => headers.has('retry-after'))).toBe(true);
  expect((await client.get('/health/live')).status).toBe(200);
}

async function expectRecovery(): Promise<void> {
  await within(
    RECOVERY_MS,
    (async () => {
      while ((await client.get('/health/ready')).status !== 200 || (await client.mint()).status !== 201)
        await pause(50);
    })(),
  );
  await expectNoLeak();
}

/** The maximum sessions of the pool, all idle once checks that nobody waits for have ended. */
async function expectNoLeak(): Promise<void> {
  const end = performance.now() + RECOVERY_MS;
  for (;;) {
    const { rows } = await admin.query<{ sessions: number; busy: number }>(
      `SELECT count(*)::int AS sessions, count(*) FILTER (WHERE state <> 'idle')::int AS busy
       FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mintmark'`,
    );
    const { sessions = NaN, busy = NaN } = rows[0] ?? {};
    const isFree = sessions <= MOST_SESSIONS && busy === 0 && proxy.connections <= MOST_SESSIONS;
    if (isFree) return;
    if (performance.now() > end)
      throw new Error(`${sessions} sessions, ${busy} of them busy, ${proxy.connections} connections`);
    await pause(100);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = pause(ms, 'late' as const, { ref: false });
  const first = await Promise.race([work, late]);
  if (first === 'late') throw new Error(`it took longer than ${ms} ms`);
  return first;
}

async function rowsWithKey(key: string): Promise<number> {
  const { rowCount } = await admin.query('SELECT 1 FROM identifier WHERE request_key = $1', [key]);
  return rowCount ?? 0;
}

describe('while the database rejects connections', () => {
  it('requests get 503, the process is live, and it recovers by itself within five seconds', async () => {
    await proxy.set('reject');
    for (let i = 0; i < 5; i++) await expectOutage();
    await proxy.set('pass');
    await expectRecovery();
  });
});

describe('while the database is silent', () => {
  it('requests get 503 within the configured limits, and it recovers by itself within five seconds', async () => {
    await proxy.set('silent');
    await expectOutage(true);
    await expectOutage();
    await proxy.set('pass');
    await expectRecovery();
  });

  it.concurrent('a stop is not held up by it', async () => {
    const way = await TcpProxy.before(database.url);
    const another = await startServer({ DATABASE_URL: way.addressOf(database.url), ACCESS: 'open' });
    expect((await new Client(another.url).get('/health/ready')).status).toBe(200);
    await way.set('silent');
    expect(await within(30_000, another.stop())).toEqual({ code: 0, signal: null });
    await way.close();
  });

  it('a mint without a response to its commit is 503, and its repeat returns the minted identifier', async () => {
    const headers = { 'idempotency-key': 'lost-answer' };
    // The mint needs a connection that is already open: a pool without one cannot send the statement at all.
    await expectRecovery();
    await proxy.set('deaf');
    const lost = await within(LONGEST_WAIT_MS, client.mint({}, headers));
    expect([lost.status, lost.body.code]).toEqual([503, 'OUTCOME_UNKNOWN']);
    await proxy.set('pass');
    await expectRecovery();
    const repeated = await client.mint({}, headers);
    expect(repeated.status).toBe(201);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(await rowsWithKey('lost-answer')).toBe(1);
  });
});

describe('when connections break', () => {
  it('on their first statement, requests get 503 and the process goes on', async () => {
    await proxy.set('reject');
    await expectOutage();
    proxy.breakAt('synchronous_commit');
    await proxy.set('pass');
    await expectOutage();
    proxy.breakAt(null);
    await expectRecovery();
  });

  it('and new ones end with FATAL, whatever the SQLSTATE, requests get 503', async () => {
    const { rows } = await admin.query<{ file: string }>(
      "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('identifier') AS file",
    );
    // Without this file, a session ends with 58P01 while it starts.
    const file = join(dirname(rows[0]!.file), 'pg_filenode.map');
    renameSync(file, `${file}.moved`);
    try {
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mintmark'",
      );
      await pause(CHECK_AGE_MS);
      await expectOutage();
    } finally {
      renameSync(`${file}.moved`, file);
    }
    expect(server.stdout()).toContain('58P01 error of the database');
    await expectRecovery();
  });

  it('by pg_terminate_backend, all at once and under load, nothing acknowledged is lost', async () => {
    const mints = Array.from({ length: 100 }, (_, i) => client.mint({}, { 'idempotency-key': `terminated-${i}` }));
    for (let i = 0; i < 10; i++) {
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mintmark'",
      );
    }
    const answers = await Promise.all(mints);
    expect(answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
    await expectRecovery();
    const repeats = await Promise.all(answers.map((_, i) => client.mint({}, { 'idempotency-key': `terminated-${i}` })));
    for (const [i, { status, body }] of answers.entries()) {
      expect(repeats[i]!.status).toBe(201);
      if (status === 201) expect(repeats[i]!.body.identifier).toBe(body.identifier);
      expect(await rowsWithKey(`terminated-${i}`)).toBe(1);
    }
  });
});

describe('while the disk of the database is full', () => {
  it('mints get 503 and write nothing, reads go on, and the same mint succeeds when there is room again', async () => {
    await admin.query(`
      CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER disk_full AFTER INSERT ON identifier FOR EACH ROW EXECUTE FUNCTION disk_full();`);
    const headers = { 'idempotency-key': 'no-room' };
    for (let i = 0; i < 20; i++) {
      const rejected = await client.mint({ mintMetadataId: true }, headers);
      expect([rejected.status, rejected.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    }
    expect((await client.get('/identifiers?limit=1')).status).toBe(200);
    expect((await client.get('/health/ready')).status).toBe(200);
    expect(await rowsWithKey('no-room')).toBe(0);
    await admin.query('DROP TRIGGER disk_full ON identifier; DROP FUNCTION disk_full()');
    const minted = await client.mint({ mintMetadataId: true }, headers);
    expect([minted.status, minted.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(await rowsWithKey('no-room')).toBe(2);
    await expectNoLeak();
  });
});

describe('the pool', () => {
  it.concurrent('waits for nothing without an end', async () => {
    const { general: pool, hot } = createPools(
      database.url,
      readConfig({ DATABASE_URL: database.url, ACCESS: 'open' }),
      createLogger('silent'),
    );
    const { connectionTimeoutMillis, idleTimeoutMillis, query_timeout, keepAlive } = pool.options;
    const { rows } = await pool.query<{ ms: number }>(
      "SELECT setting::int AS ms FROM pg_settings WHERE name = 'statement_timeout'",
    );
    const limits = [connectionTimeoutMillis, idleTimeoutMillis, query_timeout, rows[0]!.ms];
    expect(limits.every((limit) => typeof limit === 'number' && limit > 0 && limit <= 60_000)).toBe(true);
    expect(query_timeout).toBeGreaterThan(rows[0]!.ms);
    expect(keepAlive).toBe(true);
    await Promise.all([pool.end(), hot.end()]);
  });
});
