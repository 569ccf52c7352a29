import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../dist/config/config.js';
import { createPools } from '../../../dist/database/pool.js';
import { SessionSettings } from '../../../dist/database/session-settings.js';
import { createLogger } from '../../../dist/logging/logger.js';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { readLog } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

/** Seconds until the locks of a silent host are free: 9 for a statement and 10 in a transaction. */
const RECOVERY_MS = 45_000;

const service = useService();
let proxy: TcpProxy;
let silent: TestServer;

beforeAll(async () => {
  proxy = await TcpProxy.before(service.database.url);
  silent = await startServer({ DATABASE_URL: proxy.addressOf(service.database.url), ACCESS: 'open' });
});
afterAll(async () => {
  await silent.stop('SIGKILL');
  await proxy.close();
});

/** Repeats a query until its result is as expected. */
async function eventually<T>(question: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + RECOVERY_MS;
  for (;;) {
    const answer = await question();
    if (isRight(answer) || Date.now() > end) return answer;
    await pause(250);
  }
}

describe('a replica whose host fails inside a batch', () => {
  it('delays the event feed and its Idempotency-Key for seconds, not for hours', async () => {
    const items = Array.from({ length: 600 }, (_, n) => ({ target: `https://silent.example/${n}` }));
    const batch = { namingAuthority: '100.102', items };
    const headers = { 'idempotency-key': 'silent-batch' };
    const written = proxy.withholdAnswerTo('https://silent.example/7');
    const lost = new Client(silent.url).post('/identifiers/batch', batch, headers);
    await written;
    await proxy.set('gone');

    const { identifier } = (await service.client.mint()).body;
    const seen = async () => (await readLog(service.client)).events.map((event) => event.identifier);
    expect(await seen()).not.toContain(identifier);
    expect(await eventually(seen, (all) => all.includes(identifier))).toContain(identifier);
    const repeated = await eventually(
      () => service.client.post('/identifiers/batch', batch, headers),
      ({ status }) => status < 300,
    );
    expect(repeated.status).toBe(200);
    const rows = await query(
      service.database.url,
      "SELECT 1 FROM identifier WHERE target LIKE 'https://silent.example/%'",
    );
    expect(rows).toHaveLength(items.length);
    expect((await lost).status).toBe(503);
  });
});

describe('a session of the service', () => {
  it('is ended by the server when its client is silent, and does not compile statements', async () => {
    const config = readConfig({ DATABASE_URL: service.database.url, ACCESS: 'open' });
    const { general, hot } = createPools(service.database.url, config, createLogger('silent'));
    for (const pool of [general, hot]) {
      const { rows } = await pool.query<{ name: string; setting: string }>(
        `SELECT name, setting FROM pg_settings WHERE name ~ '^(tcp_|client_connection_check|idle_in_tr|jit$|synchronous_commit$)'`,
      );
      const value = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
      expect([value.synchronous_commit, value.jit]).toEqual(['on', 'off']);
      const limits = ['idle_in_transaction_session_timeout', 'client_connection_check_interval', 'tcp_user_timeout'];
      for (const name of limits)
        expect([name, Number(value[name]) > 0 && Number(value[name]) <= 30_000]).toEqual([name, true]);
      const { tcp_keepalives_idle: idle, tcp_keepalives_interval: every, tcp_keepalives_count: count } = value;
      expect(Number(idle)).toBeGreaterThan(0);
      expect(Number(idle) + Number(every) * Number(count)).toBeLessThanOrEqual(60);
    }
    await Promise.all([general.end(), hot.end()]);
  });

  const begin = async (...names: string[]) => {
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    const rejected: string[] = [];
    const settings = names.map((name) => ({ name, value: 7, required: name === 'required_and_unknown' }));
    const apply = new SessionSettings(settings, (name, reason) => rejected.push(`${name}: ${reason}`));
    return { client, rejected, apply };
  };

  it('continues without a setting that the server does not know, which is reported once', async () => {
    const { client, rejected, apply } = await begin(
      'no_such_setting',
      'tcp_keepalives_interval',
      'client_connection_check_interval',
    );
    for (let n = 0; n < 2; n++) await apply.apply(client);
    expect(rejected).toEqual(['no_such_setting: unrecognized configuration parameter "no_such_setting"']);
    const { rows } = await client.query(
      "SELECT setting FROM pg_settings WHERE name = 'client_connection_check_interval'",
    );
    expect(rows).toEqual([{ setting: '7' }]);
    await client.end();
  });

  it('is not used without a setting that it needs', async () => {
    const { client, apply } = await begin('required_and_unknown');
    await expect(apply.apply(client)).rejects.toThrow('required_and_unknown');
    await client.end();
  });
});
