import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../dist/database/migrations.js';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { Postgres, isInstalled } from '../harness/postgres.js';
import { type TestServer, startServer } from '../harness/server.js';
import { Traffic } from './traffic.js';

const MAJOR = 15;
const timelineOf = async (url: string) =>
  (await query<{ timeline: number }>(url, 'SELECT timeline_id AS timeline FROM pg_control_checkpoint()'))[0]!.timeline;

(isInstalled(MAJOR) ? describe : describe.skip)(`pg_upgrade (needs Debian's postgresql-${MAJOR})`, () => {
  let postgres: Postgres;
  let server: TestServer;
  let client: Client;

  // On the second timeline, whose positions are greater than those of a new server.
  beforeAll(async () => {
    postgres = await Postgres.start({ major: MAJOR });
    await migrate(postgres.url);
    await postgres.halt('fast');
    await postgres.launchAs('standby');
    await postgres.promote();
    await query(postgres.url, 'CHECKPOINT');
    server = await startServer({ DATABASE_URL: postgres.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
    client = new Client(server.url);
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await postgres.stop();
  }, 60_000);

  it('loses and doubles no event for a consumer, while the service runs and mints go on', async () => {
    expect(await timelineOf(postgres.url)).toBe(2);
    const traffic = new Traffic(client);
    await pause(1000);
    await postgres.halt('fast');
    await postgres.upgrade();
    await postgres.launch();
    expect(await timelineOf(postgres.url)).toBe(1);
    const { written, seen } = await traffic.end();
    expect((await client.get('/health/ready')).status).toBe(200);
    expect(new Set(seen).size).toBe(seen.length);
    expect(written.filter((event) => !seen.includes(event))).toEqual([]);
    expect(seen.length).toBe(written.length);
  }, 120_000);
});
