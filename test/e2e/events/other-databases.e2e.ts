import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../dist/database/migrations.js';
import { ChangeReader } from '../../../dist/storage/changes/change-reader.js';
import { FeedAge } from '../../../dist/storage/changes/feed-age.js';
import { PositionOffset } from '../../../dist/storage/changes/position-offset.js';
import { query } from '../harness/database.js';
import { Postgres, isInstalled } from '../harness/postgres.js';

// Real: transactions of another database of the same server, and the reader of the built service.

const APPEND = `
  INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
  SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), 1, nextval('identifier_id_seq'), 1, 'changed', 'writer', '[]'`;

const IDLE_SESSIONS = 85;
const HAMMER_MS = 1500;

for (const major of [15, undefined]) {
  const isThere = major === undefined || isInstalled(major);
  (isThere ? describe : describe.skip)(`a feed beside another database of a PostgreSQL ${major ?? 18}`, () => {
    let server: Postgres;
    let pool: pg.Pool;
    let reader: ChangeReader;
    const sessions: pg.Client[] = [];

    async function connect(url: string): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      sessions.push(client);
      return client;
    }
    const other = () => new URL('/other', server.url).href;

    beforeAll(async () => {
      server = await Postgres.start(major === undefined ? {} : { major });
      await query(server.url, 'ALTER SYSTEM SET max_prepared_transactions = 4');
      await server.halt('fast');
      await server.launch();
      await query(server.url, 'CREATE DATABASE other');
      await migrate(server.url);
      await query(server.url, "INSERT INTO naming_authority (id, prefix) VALUES (1, '100.102')");
      pool = new pg.Pool({ connectionString: server.url, max: 1 });
      // As the first write of a service does.
      await new PositionOffset().compare(await connect(server.url));
      reader = new ChangeReader(pool);
    }, 60_000);
    afterAll(async () => {
      await pool.end();
      await Promise.all(sessions.map((session) => session.end()));
      await server.stop();
    });

    /** Opens a transaction with a number, appends an event behind it, and tells whether the event can be read before its end. */
    async function isReadBeside(url: string, isPrepared = false): Promise<boolean> {
      const writer = await connect(url);
      await writer.query('BEGIN; SELECT pg_current_xact_id()');
      if (isPrepared) await writer.query("PREPARE TRANSACTION 'held'");
      await query(server.url, APPEND);
      const isRead = await reachesEnd();
      await writer.query(isPrepared ? "ROLLBACK PREPARED 'held'" : 'ROLLBACK');
      expect(await reachesEnd()).toBe(true);
      return isRead;
    }

    /** Whether the head of the feed, and its last page, have the last event. */
    async function reachesEnd(from = reader): Promise<boolean> {
      const [last] = await query<{ position: string }>(server.url, 'SELECT max(position) AS position FROM change');
      const head = await from.head();
      const page = await from.page({ position: 2n ** 63n - 1n, id: 0n }, { limit: 1, order: '-at', filter: null }, 1);
      expect(page?.changes[0]?.position).toBe(head.position);
      return head.position.toString() === last!.position;
    }

    it('is not delayed by a transaction there, and is by one of its own', async () => {
      expect(await isReadBeside(other())).toBe(true);
      expect(await isReadBeside(server.url)).toBe(false);
    });

    it('is not delayed by a prepared transaction there, and is by one of its own', async () => {
      expect(await isReadBeside(other(), true)).toBe(true);
      expect(await isReadBeside(server.url, true)).toBe(false);
    });

    it('has an age beside a transaction of its own only', async () => {
      const ageBeside = async (url: string): Promise<number> => {
        const age = new FeedAge(pool);
        const writer = await connect(url);
        await writer.query('BEGIN; SELECT pg_current_xact_id()');
        await query(server.url, APPEND);
        await age.seconds();
        await pause(1100);
        const seconds = await age.seconds();
        await writer.query('ROLLBACK');
        return seconds;
      };
      const [beside, own] = [await ageBeside(other()), await ageBeside(server.url)];
      expect(beside).toBe(0);
      expect(own).toBeGreaterThan(1);
    });

    it('is read so by a role without privileges, and waits for the whole server where the role may not see its sessions', async () => {
      await query(server.url, 'CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
      const url = new URL(server.url);
      url.username = 'reader';
      const ofRole = new pg.Pool({ connectionString: url.href, max: 1 });
      const writer = await connect(other());
      await writer.query('BEGIN; SELECT pg_current_xact_id()');
      await query(server.url, APPEND);
      const isRead = await reachesEnd(new ChangeReader(ofRole));
      await query(server.url, 'REVOKE SELECT ON pg_stat_activity FROM PUBLIC');
      const isReadUnseen = await reachesEnd(new ChangeReader(ofRole));
      await query(server.url, 'GRANT SELECT ON pg_stat_activity TO PUBLIC');
      await writer.query('COMMIT');
      await ofRole.end();
      expect([isRead, isReadUnseen]).toEqual([true, false]);
    });

    it('has the event of a cursor while the numbers that it may read end before it', async () => {
      const writer = await connect(other());
      await writer.query('BEGIN; SELECT pg_current_xact_id()');
      await query(server.url, APPEND);
      const cursor = await reader.head();
      const next = (from: ChangeReader) => from.page(cursor, { limit: 10, order: 'at', filter: null }, 11);
      const url = new URL(server.url);
      url.username = 'stranger';
      await query(server.url, 'CREATE ROLE stranger LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO stranger');
      // Without the sessions, the transaction of the other database counts, as when it ends between the snapshot and their reading.
      await query(server.url, 'REVOKE SELECT ON pg_stat_activity FROM PUBLIC');
      await query(server.url, APPEND);
      const ofRole = new pg.Pool({ connectionString: url.href, max: 1 });
      const [before, all] = [await next(new ChangeReader(ofRole)), await next(reader)];
      await query(server.url, 'GRANT SELECT ON pg_stat_activity TO PUBLIC');
      await writer.query('ROLLBACK');
      await ofRole.end();
      expect(before).toMatchObject({ changes: [], reached: cursor, end: true });
      expect(all?.changes).toHaveLength(1);
    });

    it('loses no event of a slow writer and three fast ones, beside transactions there and idle sessions', async () => {
      const idle: pg.Client[] = [];
      while (idle.length < IDLE_SESSIONS) idle.push(await connect(idle.length % 2 === 0 ? other() : server.url));
      const held = await connect(other());
      await held.query('BEGIN; SELECT pg_current_xact_id()');
      const start = await reader.head();
      const end = performance.now() + HAMMER_MS;
      const repeat = async (work: () => Promise<unknown>): Promise<void> => {
        while (performance.now() < end) await work();
      };
      // Of the idle sessions, which end with the others.
      const [foreign, ...writers] = [idle[0]!, idle[1]!, idle[3]!, idle[5]!, idle[7]!];
      const slow = async (on: pg.Client): Promise<void> => {
        await on.query(`BEGIN; ${APPEND}`);
        await pause(20);
        await on.query('COMMIT');
      };
      const writing = [
        repeat(() => foreign.query('SELECT pg_current_xact_id(), pg_sleep(0.002)')),
        repeat(() => slow(writers[0])),
        ...writers.slice(1).map((writer) => repeat(() => writer.query(APPEND))),
      ];
      const read: string[] = [];
      let last = start;
      const follow = async (): Promise<boolean> => {
        const page = await reader.page(last, { limit: 1000, order: 'at', filter: null }, 1001);
        read.push(...page!.changes.map(({ id }) => id.toString()));
        last = page!.reached;
        return page!.end;
      };
      await repeat(follow);
      await Promise.all(writing);
      while (!(await follow()));
      await held.query('ROLLBACK');
      const written = await query<{ id: string }>(
        server.url,
        'SELECT id FROM change WHERE (position, id) > ($1, $2) ORDER BY position, id',
        [start.position.toString(), start.id.toString()],
      );
      expect(written.length).toBeGreaterThan(50);
      expect(read).toEqual(written.map(({ id }) => id));
    }, 30_000);
  });
}
