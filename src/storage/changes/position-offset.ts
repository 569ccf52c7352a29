import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { isLockTimeout } from '../../problem/database-errors.js';
import { LOG_END, lastBefore } from './log-page.js';

type Session = Pick<pg.ClientBase, 'query'>;

/** "ChO" in ASCII: the advisory lock under which one process at a time raises the offset. */
const OFFSET_LOCK = 0x43684f;

const LAST = `coalesce((SELECT position FROM ${lastBefore(LOG_END.position.toString())} last), 0)`;

/** Whether the server was started since the last raise, possibly with older data files, or is another server. */
const IS_NEW = 'SELECT server_started_at IS DISTINCT FROM pg_postmaster_start_time() AS "isNew" FROM change_offset';

/**
 * Part of the `WITH` clause of each statement that takes a position or writes a name. It locks an empty table until the end of the
 * transaction. A raise of the offset and a change of the rules of a naming authority wait for this lock, which the statement takes before
 * it reads anything. The lock conflicts with nothing else, whereas locks on the tables of events and names would wait for VACUUM and
 * ANALYZE. An UPDATE is used, because a generic plan of a DELETE would not lock.
 */
export const POSITION_GATE = 'position_gate_lock AS (UPDATE position_gate SET id = id WHERE false)';

type SequencedTable = 'identifier' | 'naming_authority';

/** Whether the sequence of a table is behind its keys, as after logical replication, which copies rows but not the state of sequences. */
const hasGreaterKey = (table: SequencedTable): string =>
  `(SELECT max(id) FROM ${table}) >= (SELECT last_value + is_called::int FROM ${table}_id_seq)`;

const raiseSequence = (table: SequencedTable): string =>
  `SELECT setval('${table}_id_seq', (SELECT max(id) FROM ${table})) WHERE ${hasGreaterKey(table)}`;

/** Whether the next transaction number would get a position that is not after the last existing one. */
const IS_BEHIND = `${LAST} >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + (SELECT value FROM log_offset)`;

const NEEDS_RAISE = `
  SELECT server_started_at IS DISTINCT FROM pg_postmaster_start_time()
         OR ${hasGreaterKey('identifier')} OR ${hasGreaterKey('naming_authority')}
         OR ${IS_BEHIND} AS "needsRaise"
  FROM change_offset`;

/** The time limit of one wait for the lock, in milliseconds. It is short, because new writers wait behind the lock. */
const LOCK_WAIT_MS = 500;

/** Pause between two attempts, in which writers proceed. */
const PAUSE_MS = 100;

const RAISE_MS = 10_000;

const GAP = 2n ** 32n;

/** Exceeds the number of transactions that any server runs in a second. */
const POSITIONS_PER_SECOND = 2n ** 20n;

/**
 * $1: `GAP`; $2: `POSITIONS_PER_SECOND`. `own` is the position that an event of this transaction would have. Using the clock gives two
 * restores of one backup different positions. If positions are ahead of the clock, only the gap is added.
 */
const RAISE = `
  UPDATE change_offset
  SET value = value - own + CASE WHEN clock > last THEN clock ELSE last + $1::bigint END,
      server_started_at = pg_postmaster_start_time()
  FROM (
    SELECT own, greatest(own, ${LAST}) AS last, (extract(epoch FROM clock_timestamp()) * $2::bigint)::bigint AS clock
    FROM (SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset) AS own) AS present
  ) AS present`;

/**
 * Keeps positions ascending when transaction numbers decrease. After a promotion, the view `log_offset` raises positions without this
 * class. Transaction numbers decrease only after a start of the server or on another server, so one check of each session suffices.
 */
@Injectable()
export class PositionOffset {
  private readonly compared = new WeakSet<Session>();

  hasCompared(session: Session): boolean {
    return this.compared.has(session);
  }

  /**
   * Raises the offset if new events would get earlier positions, and once after each start of the server; also raises sequences that are
   * behind. Called before the first write of a session. A session of a standby is compared again after its promotion.
   * @param lockWaitMs the lock timeout of the comparison, by default the timeout of the session.
   * @throws the error of a lock timeout (for a raise, after `RAISE_MS`), or 25006 on a server in recovery.
   */
  async compare(session: Session, lockWaitMs?: number): Promise<void> {
    for (const end = performance.now() + RAISE_MS; await needsRaise(session, lockWaitMs);) {
      await raise(session).catch(async (error: unknown) => {
        await session.query('ROLLBACK');
        if (!isLockTimeout(error) || performance.now() >= end) throw error;
        await pause(PAUSE_MS);
      });
    }
    this.compared.add(session);
  }
}

/** Whether the server was started and the offset has not been raised since, so that existing positions may be greater than new ones. */
export async function isNewServer(on: Session): Promise<boolean> {
  return (await on.query<{ isNew: boolean }>(IS_NEW)).rows[0]?.isNew === true;
}

/** @throws Error if the key sequence of identifiers is behind, so that a mint conflicts with another identifier by its primary key. */
export async function requireSequence(on: Session): Promise<void> {
  const { rows } = await on.query<{ behind: boolean | null }>(`SELECT ${hasGreaterKey('identifier')} AS behind`);
  if (rows[0]?.behind !== true) return;
  throw new Error(
    'the sequence identifier_id_seq is behind the keys of identifier, so that identifier_pkey is violated; a start of the service raises it',
  );
}

/** What a start of the service would raise: sequences that are behind their tables, and positions of new events. */
export async function behindTables(on: Session): Promise<string[]> {
  const { rows } = await on.query<Record<string, boolean | null>>(
    `SELECT ${hasGreaterKey('identifier')} AS identifier_id_seq, ${hasGreaterKey('naming_authority')} AS naming_authority_id_seq,
            ${IS_BEHIND} AS "the positions of events"`,
  );
  return Object.entries(rows[0] ?? {}).flatMap(([name, isBehind]) => (isBehind === true ? [name] : []));
}

async function needsRaise(session: Session, lockWaitMs?: number): Promise<boolean> {
  // Both statements are one transaction, because they are sent together.
  const limit = lockWaitMs === undefined ? '' : `SET LOCAL lock_timeout = ${lockWaitMs};`;
  const results = [await session.query<{ needsRaise: boolean }>(limit + NEEDS_RAISE)].flat();
  return results.at(-1)?.rows[0]?.needsRaise === true;
}

async function raise(session: Session): Promise<void> {
  await session.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  await session.query('SELECT pg_advisory_xact_lock($1)', [OFFSET_LOCK]);
  if (await needsRaise(session)) {
    // Waits for statements with the old offset, whose events a reader could otherwise miss: see `POSITION_GATE`.
    await session.query('LOCK TABLE position_gate IN SHARE MODE');
    await session.query(RAISE, [GAP.toString(), POSITIONS_PER_SECOND.toString()]);
    await session.query(`${raiseSequence('identifier')}; ${raiseSequence('naming_authority')}`);
  }
  await session.query('COMMIT');
}
