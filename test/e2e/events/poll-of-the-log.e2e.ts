import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type PollState, pollLog } from '../../../dist/storage/changes/log-follower.js';
import { type TestDatabase, createDatabase, query, withoutTriggers } from '../harness/database.js';

// Real: the statement of the polls, on a log that the tests write by SQL.

let database: TestDatabase;
let pool: pg.Pool;
let state: PollState;

beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  pool.on('error', () => {});
  await pool.query("INSERT INTO naming_authority (prefix) VALUES ('100.102')");
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  ({ state } = await pollLog(pool, null));
});

type Queryable = Pick<pg.ClientBase, 'query'>;
let version = 0;

/** Appends changes of an identifier as the service does; null: of the naming authority. */
async function append(on: Queryable, identifier: number | null, count = 1): Promise<void> {
  await on.query(
    `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
     SELECT pg_current_xact_id()::text::bigint + value, (SELECT id FROM naming_authority WHERE prefix = '100.102'), $1, $2::int + n, 'changed', 'x', '[]'
     FROM log_offset, generate_series(1, $3::int) n`,
    [identifier, version, count],
  );
  version += count;
}

/** What was committed since the previous call. */
async function poll() {
  const polled = await pollLog(pool, state);
  state = polled.state;
  return polled.changed;
}

const NOTHING = { identifiers: [], namingAuthorities: [] };

describe('a poll of the log', () => {
  it('returns each change once, of identifiers and of naming authorities', async () => {
    expect(await poll()).toEqual(NOTHING);
    await append(pool, 5);
    await append(pool, null);
    expect(await poll()).toEqual({ identifiers: [5n], namingAuthorities: ['100.102'] });
    expect(await poll()).toEqual(NOTHING);
  });

  it('returns changes in the order of their commits, whatever the order of their numbers is', async () => {
    const [early, late] = [await pool.connect(), await pool.connect()];
    await early.query('BEGIN');
    await append(early, 1);
    await late.query('BEGIN');
    await append(late, 2);
    expect(await poll()).toEqual(NOTHING);
    await late.query('COMMIT');
    expect(await poll()).toEqual({ ...NOTHING, identifiers: [2n] });
    await append(pool, 3);
    expect(await poll()).toEqual({ ...NOTHING, identifiers: [3n] });
    await early.query('COMMIT');
    expect(await poll()).toEqual({ ...NOTHING, identifiers: [1n] });
    expect(await poll()).toEqual(NOTHING);
    early.release();
    late.release();
  });

  it('returns no change that was rolled back', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await append(client, 1);
    await poll();
    await client.query('ROLLBACK');
    client.release();
    expect(await poll()).toEqual(NOTHING);
  });

  it('returns a change of a savepoint, whose transaction has the position', async () => {
    const client = await pool.connect();
    await client.query('BEGIN; SAVEPOINT a; SAVEPOINT b');
    await append(client, 8);
    await poll();
    await client.query('RELEASE a; COMMIT');
    client.release();
    expect(await poll()).toEqual({ ...NOTHING, identifiers: [8n] });
  });

  it('continues after polls that were missed', async () => {
    for (const id of [11, 12, 13]) await append(pool, id);
    expect((await poll())?.identifiers).toEqual([11n, 12n, 13n]);
  });

  it('reports that anything may have changed after more changes than it reads', async () => {
    await append(pool, 21, 10_000);
    expect((await poll())?.identifiers).toHaveLength(10_000);
    await append(pool, 22, 10_001);
    expect(await poll()).toBeNull();
    expect(await poll()).toEqual(NOTHING);
  });

  it.each([
    ['the offset of positions was raised', 'UPDATE change_offset SET value = value + 4294967296'],
    ['the tables were emptied for a restore', 'TRUNCATE identifier CASCADE'],
    ['the log was emptied for a restore', 'TRUNCATE change'],
  ])('reports that anything may have changed after %s', async (_, sql) => {
    await query(withoutTriggers(database.url), sql);
    expect(await poll()).toBeNull();
    await append(pool, 31);
    expect(await poll()).toEqual({ ...NOTHING, identifiers: [31n] });
  });

  it('reports that anything may have changed after a state of a later or another server', async () => {
    const { state: current } = await pollLog(pool, null);
    expect((await pollLog(pool, { ...current, next: current.next + 1000n })).changed).toBeNull();
    expect((await pollLog(pool, { ...current, origin: `${current.origin}1` })).changed).toBeNull();
    expect((await pollLog(pool, current)).changed).toEqual(NOTHING);
  });

  it('returns the clock of the database', async () => {
    const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await poll();
    expect(state.time - rows[0]!.now.getTime()).toBeGreaterThanOrEqual(0);
    expect(state.time - rows[0]!.now.getTime()).toBeLessThan(2000);
  });
});
