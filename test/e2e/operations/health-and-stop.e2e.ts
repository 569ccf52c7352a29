import { setTimeout as pause } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../dist/config/config.js';
import { createPools } from '../../../dist/database/pool.js';
import { createLogger } from '../../../dist/logging/logger.js';
import { Client } from '../harness/client.js';
import { SERVER_URL, type TestDatabase, createDatabase, query } from '../harness/database.js';
import { runToEnd, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService();

const variables = (database: TestDatabase) => ({ DATABASE_URL: database.url, ACCESS: 'open' });

describe('health', () => {
  it('is live, and ready with the newest schema', async () => {
    expect((await service.client.get('/health/live')).body).toEqual({ state: 'ok', version: '0.1.0-beta.1' });
    expect((await service.client.get('/health/ready')).body).toEqual({ state: 'ok', version: '0.1.0-beta.1' });
  });

  it.concurrent(
    'is live but not ready when the database lacks a migration or is gone, and every error stays a problem',
    async () => {
      const database = await createDatabase();
      const server = await startServer(variables(database));
      const client = new Client(server.url);
      const admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      await admin.query('UPDATE _prisma_migrations SET rolled_back_at = now()');
      await admin.end();
      expect((await client.get('/health/ready')).body.code).toBe('DATABASE_UNAVAILABLE');
      await query(SERVER_URL, `DROP DATABASE ${new URL(database.url).pathname.slice(1)} WITH (FORCE)`);
      for (const answer of [await client.get('/health/ready'), await client.mint(), await client.get('/identifiers')]) {
        expect([answer.status, answer.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
        expect(answer.headers.get('retry-after')).not.toBeNull();
      }
      await pause(1050);
      const { detail } = (await client.get('/health/ready')).body;
      expect(detail).toBe('The database is unavailable: 3D000 the database does not exist.');
      expect((await client.get('/health/live')).status).toBe(200);
      expect((await server.stop()).code).toBe(0);
    },
  );
});

describe('a connection of the pool', () => {
  it('commits durably, whatever the URL of the database sets', async () => {
    const url = `${service.database.url.split('?')[0]}?options=-c%20synchronous_commit%3Doff`;
    const config = readConfig({ DATABASE_URL: url, ACCESS: 'open' });
    for (const pool of Object.values(createPools(url, config, createLogger('silent')))) {
      if (pool === null) continue;
      const { rows } = await pool.query('SHOW synchronous_commit');
      await pool.end();
      expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    }
  });
});

describe('what is said at the start', () => {
  it('holds no warning of the platform or a library', () => {
    expect(service.server.stderr()).not.toMatch(/warning/i);
  });
});

describe('the log', () => {
  const lines = () =>
    service.server
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('is JSON, a line for each request, under the request id that came in and goes out', async () => {
    const answer = await service.client.get('/identifiers', { 'x-request-id': 'curator-7' });
    expect(answer.headers.get('x-request-id')).toBe('curator-7');
    const line = () => lines().find(({ reqId }) => reqId === 'curator-7');
    await waitUntil(() => Promise.resolve(line() !== undefined));
    expect(line()).toMatchObject({
      method: 'GET',
      url: '/identifiers',
      status: 200,
    });
  });

  it('gives an id to a request that has none, or one that could forge a line', async () => {
    for (const headers of [{}, { 'x-request-id': 'two words' }, { 'x-request-id': 'x'.repeat(129) }]) {
      const answer = await service.client.get('/nowhere', headers);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('a stop by SIGTERM', () => {
  it.concurrent.each([
    // The next line is the last one of the process.
    ['closes its log', (stdout: Readable, chunk: Buffer) => chunk.includes('"stopping"') && stdout.destroy()],
    ['stops reading its log', (stdout: Readable) => stdout.pause()],
  ])('ends the process when the reader %s', async (_, interrupt) => {
    const database = await createDatabase();
    const server = await startServer(variables(database));
    const { stdout } = server.child;
    if (stdout === null) throw new Error('the log is not piped');
    stdout.on('data', (chunk: Buffer) => interrupt(stdout, chunk));
    const client = new Client(server.url);
    // More than the pipe holds.
    const work = async () => {
      for (let sent = 0; sent < 25; sent++) await client.get(`/identifiers/${'x'.repeat(1000)}`);
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect((await client.get('/health/live')).status).toBe(200);
    server.child.kill('SIGTERM');
    const ended = once(server.child, 'exit');
    expect(await Promise.race([ended, pause(15_000, 'still running', { ref: false })])).toEqual([0, null]);
    stdout.destroy();
    await database.drop();
  });

  it.concurrent('finishes a request in flight, returns 503 for new ones, and exits with 0', async () => {
    const database = await createDatabase();
    const server = await startServer({ ...variables(database), NAMING_AUTHORITIES: '100.102' });
    const client = new Client(server.url);
    // The mint waits for this lock, so that it is in flight until the test releases it.
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE identifier');
    const inFlight = client.mint();
    await waitUntil(async () => {
      const { rows } = await blocker.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    });
    const stopped = server.stop();
    await waitUntil(() => Promise.resolve(server.stdout().includes('"stopping"')));
    // A service under npm receives Ctrl-C twice, from the terminal and from npm.
    server.child.kill('SIGTERM');
    server.child.kill('SIGINT');
    const rejected = await client.mint();
    expect([rejected.status, rejected.body.code]).toEqual([503, 'SHUTTING_DOWN']);
    expect(rejected.headers.get('connection')).toBe('close');
    expect((await client.get('/health/ready')).status).toBe(503);
    await blocker.query('COMMIT');
    await blocker.end();
    expect((await inFlight).status).toBe(201);
    expect(await stopped).toEqual({ code: 0, signal: null });
    await database.drop();
  });

  it.concurrent('does not wait for a client that keeps an idle connection', async () => {
    const database = await createDatabase();
    const server = await startServer(variables(database));
    const { hostname, port } = new URL(server.url);
    const idle = connect(Number(port), hostname);
    idle.on('error', () => {});
    await new Promise((resolve) => idle.once('connect', resolve));
    expect((await server.stop()).code).toBe(0);
    idle.destroy();
    await database.drop();
  });
});

describe('migrations', () => {
  it('are recorded as `prisma migrate deploy` records them: by name and SHA-256 of the file, applied once', async () => {
    const admin = new pg.Client({ connectionString: service.database.url });
    await admin.connect();
    const { rows } = await admin.query(
      'SELECT migration_name, checksum, applied_steps_count, finished_at, rolled_back_at FROM _prisma_migrations ORDER BY 1',
    );
    await admin.end();
    const folder = new URL('../../../prisma/migrations/', import.meta.url);
    const names = readdirSync(folder).filter((name) => name !== 'migration_lock.toml');
    expect(rows).toEqual(
      names.sort().map((name) => ({
        migration_name: name,
        checksum: createHash('sha256')
          .update(readFileSync(new URL(`${name}/migration.sql`, folder)))
          .digest('hex'),
        applied_steps_count: 1,
        finished_at: expect.any(Date),
        rolled_back_at: null,
      })),
    );
  });

  it.concurrent('a failed migration is reported in one message, without a stack', async () => {
    const database = await createDatabase('template0');
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query('CREATE TABLE identifier (mine int)');
    await admin.end();
    const { code, stderr } = await runToEnd(variables(database));
    expect(code).toBe(1);
    expect(stderr).toContain('The database schema could not be migrated');
    expect(stderr).not.toMatch(/^ +at /m);
    await database.drop();
  });
});

async function waitUntil(happened: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await happened()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('it did not happen within ten seconds');
}
