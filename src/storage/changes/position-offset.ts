import { Injectable } from '@nestjs/common';
import { isLockTimeout } from '../../problem/database-errors.js';
import { Transactions } from '../transactions.js';

/** "ChO" in ASCII: the advisory lock under which one process at a time raises the offset. */
const OFFSET_LOCK = 0x43684f;

const LAST = 'coalesce(greatest((SELECT max(position) FROM change), (SELECT max(position) FROM first_event)), 0)';

/**
 * `is_behind`: an unassigned transaction number would get a position that exists already, or an earlier one.
 * `is_new`: the server was started since the last raise, perhaps with an earlier state of its files.
 */
const STATE = `
  SELECT ${LAST} >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + (SELECT value FROM log_offset) AS is_behind,
         server_started_at IS DISTINCT FROM pg_postmaster_start_time() AS is_new
  FROM change_offset`;

const NEW_SERVER_LOCK_WAIT_MS = 500;

const GAP = 2n ** 32n;

/** More transactions than any server makes in a second. */
const POSITIONS_PER_SECOND = 2n ** 20n;

/**
 * $1: `GAP`; $2: `POSITIONS_PER_SECOND`. `own` is the position of an event of this transaction. The clock gives each of two
 * restores of one backup a position of its own. Where positions are ahead of the clock, the gap is all there is.
 */
const RAISE = `
  UPDATE change_offset
  SET value = value - own + CASE WHEN clock > last THEN clock ELSE last + $1::bigint END,
      server_started_at = pg_postmaster_start_time()
  FROM (
    SELECT own, greatest(own, ${LAST}) AS last, extract(epoch FROM clock_timestamp())::bigint * $2::bigint AS clock
    FROM (SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset) AS own) AS present
  ) AS present`;

/** Keeps positions ascending where transaction numbers are smaller than before. A promotion raises them by itself: `log_offset`. */
@Injectable()
export class PositionOffset {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Raises the offset when new changes would get earlier positions, and once after each start of the PostgreSQL server. Called
   * before anything is written.
   * @returns whether it was raised. A raise for a new server alone is left to the next start while writers do not end.
   */
  async raise(): Promise<boolean> {
    let positionsExist = true;
    return this.transactions
      .run(async (transaction) => {
        await transaction.query('SELECT pg_advisory_xact_lock($1)', [OFFSET_LOCK]);
        const { rows } = await transaction.query<{ is_behind: boolean; is_new: boolean }>(STATE);
        positionsExist = rows[0]?.is_behind === true;
        if (!positionsExist && rows[0]?.is_new !== true) return false;
        // New writers wait behind the lock.
        if (!positionsExist) await transaction.query(`SET LOCAL lock_timeout = ${NEW_SERVER_LOCK_WAIT_MS}`);
        // Waits for transactions with the old offset, whose events a reader could otherwise miss.
        await transaction.query('LOCK TABLE change, identifier IN SHARE MODE');
        await transaction.query(RAISE, [GAP.toString(), POSITIONS_PER_SECOND.toString()]);
        return true;
      })
      .catch((error: unknown) => {
        if (!positionsExist && isLockTimeout(error)) return false;
        throw error;
      });
  }
}
