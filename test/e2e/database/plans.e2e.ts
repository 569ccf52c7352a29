import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SessionSettings, poolSettings } from '../../../dist/database/session-settings.js';
import { createDatabase, startInstalled } from '../harness/database.js';
import { isInstalled } from '../harness/postgres.js';
import {
  NEVER_SCANNED,
  OFTEN_REPLACED,
  PLANNED_EACH_TIME,
  SMALL_TABLE,
  READ_ONCE_BEFORE_STATISTICS,
  STATEMENTS,
} from './statements.js';
import { STREAM_STATEMENTS, loadStreams } from './stream-statements.js';

// Real: the statements of the built service, on tables with the statistics of keyed bulk loads. PostgreSQL counts the
// rows that they read, in functions too, in a transaction that is rolled back.

/**
 * Bulk loads with an Idempotency-Key each, as the service stores them, one line in three with an alternate, of which one in two
 * claims a name, and one in five a new version of the first one.
 */
async function load(client: pg.Client, streams: number, lines: number): Promise<void> {
  await client.query("INSERT INTO naming_authority (prefix) VALUES ('100.102') ON CONFLICT DO NOTHING");
  for (let stream = 1; stream <= streams; stream++) {
    await client.query(
      `INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key, client, request_key, request_index,
                               request_hash, position, is_first_event, previous_version, previous_version_key)
       SELECT (SELECT id FROM naming_authority WHERE prefix = '100.102'), CASE WHEN t = '1-1' THEN '${OFTEN_REPLACED}'::uuid ELSE gen_random_uuid() END, 'hdl:2000.01/' || t, encode(substring(sha256(convert_to('hdl:2000.01/' || t, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid,
              'anonymous', 'stream-' || $1::int, 2 * n, encode(substring(sha256(convert_to(t, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid, pg_current_xact_id()::text::bigint, true,
              CASE WHEN n % 5 = 0 THEN 'hdl:100.102/' || upper(replace('${OFTEN_REPLACED}', '-', '')) END,
              CASE WHEN n % 5 = 0 THEN self_key('100.102', '${OFTEN_REPLACED}', NULL, false) END
       FROM generate_series(1, $2::int) n, LATERAL (SELECT $1::int || '-' || n AS t) x`,
      [stream, lines],
    );
  }
  await client.query(
    `INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id, claimed_authority_id, claimed_name)
     SELECT encode(substring(sha256(convert_to('demo:' || id, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid, naming_authority_id, id,
            CASE WHEN id % 6 = 0 THEN naming_authority_id END, CASE WHEN id % 6 = 0 THEN gen_random_uuid() END
     FROM identifier WHERE id % 3 = 0`,
  );
  await client.query(
    `INSERT INTO change (position, id, naming_authority_id, identifier_id, version, kind, client, patch)
     SELECT position, id, naming_authority_id, id, 1, 'minted', 'anonymous', '[]' FROM identifier WHERE id % 4 = 0`,
  );
  await client.query(
    `SET session_replication_role = replica; UPDATE identifier SET version = 2, is_first_event = false WHERE id % 4 = 0;
     RESET session_replication_role`,
  );
  await client.query(
    `INSERT INTO request (client, key, hash, outcome)
     SELECT 'anonymous', 'single-' || n, encode(substring(sha256(convert_to(n::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid, '"1"' FROM generate_series(1, 5000) n`,
  );
  await loadStreams(client);
}

/** The rows of the large tables that a statement reads, with or without an index. */
async function rowsRead(client: pg.Client, work: (on: pg.Client) => Promise<unknown>): Promise<number> {
  await client.query('BEGIN');
  try {
    const before = await rowsReadSoFar(client);
    await work(client);
    return (await rowsReadSoFar(client)) - before;
  } finally {
    await client.query('ROLLBACK');
  }
}

async function rowsReadSoFar(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ read: number }>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_xact_user_tables
     WHERE relname NOT IN ('naming_authority', 'change_offset')`,
  );
  return rows[0]?.read ?? 0;
}

/** The tables that a load fills. */
const LARGE = ['identifier', 'alternate_identifier', 'change', 'request', 'request_part'];

const ALL = [...STATEMENTS, ...STREAM_STATEMENTS];

async function openDatabase() {
  const database = await createDatabase();
  return { url: database.url, stop: () => database.drop() };
}

/** `major`: of Debian's package; null for the PostgreSQL of the tests. */
const machines = [
  {
    title: 'on PostgreSQL 15 after one keyed stream of 50,000',
    major: 15,
    loads: [1, 50_000] as const,
    isPlannedEmpty: false,
    isAnalyzed: true,
  },
  ...[15, null].map((major) => ({
    title: `on PostgreSQL ${major ?? 18} directly after a load, before any statistics exist`,
    major,
    loads: [1, 20_000] as const,
    isPlannedEmpty: false,
    isAnalyzed: false,
  })),
  {
    title: 'on the PostgreSQL of the tests after five keyed streams of 12,000',
    major: null,
    loads: [5, 12_000] as const,
    isPlannedEmpty: false,
    isAnalyzed: true,
  },
  {
    title: 'in sessions of the service that planned their statements while the tables were empty',
    major: null,
    loads: [2, 6000] as const,
    isPlannedEmpty: true,
    isAnalyzed: false,
  },
];

for (const { title: machine, major, loads, isPlannedEmpty, isAnalyzed } of machines) {
  const isThere = major === null || isInstalled(major);
  const need = major === null ? '' : ` (needs Debian's postgresql-${major})`;

  (isThere ? describe : describe.skip)(machine + need, () => {
    const [streams, lines] = loads;
    let database: { readonly url: string; stop(): Promise<void> };
    const clients = new Map<string, pg.Client>();

    beforeAll(async () => {
      database = await (major === null ? openDatabase() : startInstalled(major));
      for (const mode of ['force_generic_plan', 'auto'] as const) {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        await new SessionSettings(poolSettings(mode), () => {}).apply(client);
        clients.set(mode, client);
      }
      // Sessions keep the plans of empty tables.
      for (const client of isPlannedEmpty ? clients.values() : []) {
        for (const [, , work] of ALL) await rowsRead(client, work);
      }
      for (const table of isAnalyzed ? [] : LARGE) {
        await clients.get('auto')!.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
      }
      await load(clients.get('auto')!, streams, lines);
      if (isAnalyzed) await clients.get('auto')!.query('ANALYZE');
    });
    afterAll(async () => {
      for (const client of clients.values()) await client.end();
      await database.stop();
    });

    it.each(ALL)('reads few rows: %s', async (title, most, work) => {
      const read: Record<string, number> = {};
      for (const [mode, client] of clients) {
        if ((mode === 'auto' ? NEVER_SCANNED : PLANNED_EACH_TIME).has(title)) continue;
        read[mode] = await rowsRead(client, work);
      }
      // Without statistics the planner may read a table once for a statement, but not once for each row.
      const before = isPlannedEmpty ? 3 * streams * lines : READ_ONCE_BEFORE_STATISTICS.has(title) ? SMALL_TABLE : 0;
      const bound = isAnalyzed ? most : Math.max(most, before);
      expect(Object.entries(read).filter(([, rows]) => rows > bound)).toEqual([]);
    });
  });
}
