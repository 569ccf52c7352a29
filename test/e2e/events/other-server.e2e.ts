import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../dist/database/migrations.js';
import { Client } from '../harness/client.js';
import { query, withoutTriggers } from '../harness/database.js';
import { Postgres, isInstalled } from '../harness/postgres.js';
import { type TestServer, startServer } from '../harness/server.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { Traffic } from './traffic.js';

// Real: logical replication from one server to another, and a switch-over while the service runs.

async function until(url: string, condition: string): Promise<void> {
  while ((await query<{ isTrue: boolean }>(url, `SELECT ${condition} AS "isTrue"`))[0]?.isTrue !== true)
    await pause(50);
}

for (const major of [15, null]) {
  const need = major === null ? '' : ` (needs Debian's postgresql-${major})`;
  const title = `a switch-over from PostgreSQL ${major ?? 18} to 18 with logical replication${need}`;

  (major === null || isInstalled(major) ? describe : describe.skip)(title, () => {
    let former: Postgres;
    let next: Postgres;
    let proxy: TcpProxy;
    let server: TestServer;
    let client: Client;

    beforeAll(async () => {
      [former, next] = await Promise.all([Postgres.start(major === null ? {} : { major }), Postgres.start()]);
      await query(former.url, 'ALTER SYSTEM SET wal_level = logical');
      await former.halt('fast');
      await former.launch();
      await Promise.all([migrate(former.url), migrate(next.url)]);
      proxy = await TcpProxy.before(former.url);
      server = await startServer({
        DATABASE_URL: proxy.addressOf(former.url),
        ACCESS: 'open',
        NAMING_AUTHORITIES: '100.102',
      });
      client = new Client(server.url);
    }, 60_000);
    afterAll(async () => {
      await server.stop();
      await proxy.close();
      await Promise.all([former.stop(), next.stop()]);
    }, 60_000);

    /** As the guide describes it. */
    async function switchOver(): Promise<void> {
      await proxy.set('reject');
      const writers =
        "(SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'mintmark' AND backend_type = 'client backend')";
      await until(former.url, writers);
      const [end] = await query<{ lsn: string }>(former.url, 'SELECT pg_current_wal_lsn()::text AS lsn');
      await until(former.url, `(SELECT bool_and(confirmed_flush_lsn >= '${end!.lsn}') FROM pg_replication_slots)`);
      await query(next.url, 'DROP SUBSCRIPTION mintmark');
      proxy.leadTo(next.url);
      await proxy.set('pass');
    }

    it('loses and doubles no event for a consumer, while mints and changes go on', async () => {
      const traffic = new Traffic(client);
      const tables = await query<{ name: string }>(
        next.url,
        "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
      );
      // What the migrations inserted is copied too.
      await query(withoutTriggers(next.url), tables.map(({ name }) => `DELETE FROM "${name}"`).join(';'));
      await query(former.url, 'CREATE PUBLICATION mintmark FOR ALL TABLES');
      await query(next.url, `CREATE SUBSCRIPTION mintmark CONNECTION '${former.url}' PUBLICATION mintmark`);
      await until(next.url, "(SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel)");
      await pause(500);
      await switchOver();
      const { written, seen } = await traffic.end();
      expect((await client.get('/health/ready')).status).toBe(200);
      expect(new Set(seen).size).toBe(seen.length);
      expect(written.filter((event) => !seen.includes(event))).toEqual([]);
      expect(seen.length).toBe(written.length);
      const [row] = await query<{ count: number }>(next.url, 'SELECT count(*)::int AS count FROM identifier');
      expect(row!.count).toBe(seen.filter((event) => event.endsWith(' 1')).length);
    }, 60_000);
  });
}
