import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { Postgres } from '../harness/postgres.js';
import { type TestServer, startServer } from '../harness/server.js';

/** A service on a PostgreSQL of its own, so that the tests wait at the same time. */
class Stalled {
  static async start(variables: Record<string, string>): Promise<Stalled> {
    const postgres = await Postgres.start();
    const server = await startServer({
      DATABASE_URL: postgres.url,
      ACCESS: 'open',
      NAMING_AUTHORITIES: '100.102',
      DATABASE_POOL_SIZE: '4',
      DATABASE_CONNECT_TIMEOUT_MS: '1000',
      ...variables,
    });
    return new Stalled(postgres, server);
  }

  readonly client: Client;

  private constructor(
    readonly postgres: Postgres,
    private readonly server: TestServer,
  ) {
    this.client = new Client(server.url);
  }

  ready() {
    return this.client.get('/health/ready');
  }

  /** Each commit waits for a standby that does not exist, until `thaw`. */
  async freeze(): Promise<void> {
    await query(this.postgres.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await query(this.postgres.url, 'SELECT pg_reload_conf()');
  }

  async thaw(): Promise<void> {
    await query(this.postgres.url, 'ALTER SYSTEM RESET synchronous_standby_names');
    await query(this.postgres.url, 'SELECT pg_reload_conf()');
  }

  /** Checks several times a second, as balancers do. */
  async untilReady(status: number): Promise<void> {
    await until(`a response ${status}`, async () => (await this.ready()).status === status);
  }

  async waitingForStandby(): Promise<number> {
    const [row] = await query<{ n: number }>(
      this.postgres.url,
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'mintmark' AND wait_event = 'SyncRep'`,
    );
    return row!.n;
  }

  linesWith(words: string): Record<string, unknown>[] {
    return this.server
      .stdout()
      .split('\n')
      .filter((line) => line.includes(words))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** @returns the one line that ends the one outage, which is written when nothing has failed for five seconds. */
  async endOfOutage(): Promise<Record<string, unknown>> {
    await until('the end of the outage', () => Promise.resolve(this.linesWith('the database serves again').length > 0));
    expect(this.linesWith('the database fails')).toHaveLength(1);
    expect(this.linesWith('the database serves again')).toHaveLength(1);
    return this.linesWith('the database serves again')[0]!;
  }

  /** A metric without labels. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.server.url}/metrics`)).text();
    return Number(new Map(text.split('\n').map((line) => line.split(' ') as [string, string])).get(name));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.postgres.stop();
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 150; i++) {
    if (await holds()) return;
    await pause(200);
  }
  throw new Error(`not within 30 seconds: ${what}`);
}

/** Runs a test with a service that was ready. */
const stalled =
  (work: (at: Stalled) => Promise<void>, variables: Record<string, string> = {}) =>
  async () => {
    const at = await Stalled.start(variables);
    try {
      expect((await at.ready()).status).toBe(200);
      await work(at);
    } finally {
      await at.stop();
    }
  };

describe('a standby that confirms no commit', () => {
  it.concurrent(
    'is noticed without traffic, by one session that waits, and its return too',
    stalled(
      async (at) => {
        await at.freeze();
        await at.untilReady(503);
        const { body } = await at.ready();
        expect([body.code, body.detail]).toEqual([
          'DATABASE_UNAVAILABLE',
          expect.stringContaining('synchronous standby'),
        ]);
        // Longer than the timeout of a statement, after which a second session could be opened.
        for (let i = 0; i < 12; i++) {
          await Promise.all(Array.from({ length: 50 }, () => at.ready()));
          expect(await at.waitingForStandby()).toBe(1);
          await pause(500);
        }
        expect(await at.metric('mintmark_oldest_waiting_write_seconds')).toBeGreaterThan(9);
        expect((await at.client.get('/identifiers')).status).toBe(200);
        await at.thaw();
        await at.untilReady(200);
        expect(await at.metric('mintmark_oldest_waiting_write_seconds')).toBe(0);
        expect(await at.metric('mintmark_last_commit_age_seconds')).toBeLessThan(10);
        expect((await at.endOfOutage()).seconds).toBeGreaterThan(6);
      },
      { DATABASE_STATEMENT_TIMEOUT_MS: '4000' },
    ),
  );

  it.concurrent(
    'is noticed by mints that wait, and the log has one line for all that fail',
    stalled(async (at) => {
      await at.client.mint();
      await at.freeze();
      const keys = Array.from({ length: 60 }, (_, i) => `frozen-${i}`);
      const mints = keys.map((key) => at.client.mint({}, { 'idempotency-key': key }));
      const waiting = () => at.metric('mintmark_oldest_waiting_write_seconds');
      await until('a wait of more than 5 s', async () => (await waiting()) > 5);
      const { status, body } = await at.ready();
      expect([status, body.detail]).toEqual([503, expect.stringContaining('no commit for 5 s')]);
      const answers = await Promise.all(mints);
      expect([...new Set(answers.map((answer) => answer.status))]).toEqual([503]);
      await at.thaw();
      await at.untilReady(200);
      expect((await at.endOfOutage()).failedRequests).toBe(60);
      // At most that of the first error.
      expect(at.linesWith('    at ').length).toBeLessThan(2);
    }),
  );

  it.concurrent(
    'does not count as one that confirms commits when their wait is cancelled',
    stalled(async (at) => {
      await at.freeze();
      await at.untilReady(503);
      let cancelled = 0;
      for (let round = 0; round < 12; round++) {
        const ended = await query(
          at.postgres.url,
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'mintmark' AND wait_event = 'SyncRep'",
        );
        cancelled += ended.length;
        await pause(400);
        expect((await at.ready()).status).toBe(503);
      }
      expect(cancelled).toBeGreaterThan(1);
      await at.thaw();
      await at.untilReady(200);
    }),
  );

  it.concurrent(
    'is gone after a failover: the probe that waits at the lost server is given up',
    stalled(async (at) => {
      await at.freeze();
      await at.untilReady(503);
      await at.postgres.halt();
      // Without the standby, as a new primary.
      await at.postgres.launchAs('primary');
      await at.thaw();
      await at.untilReady(200);
      expect((await at.client.mint()).status).toBe(201);
    }),
  );
});
