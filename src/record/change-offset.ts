import { Injectable } from '@nestjs/common';
import { POSITION_SQL } from './change-log.js';
import { Transactions } from './transactions.js';

/** "ChO" in ASCII: the advisory lock under which one process at a time raises the offset. */
const OFFSET_LOCK = 0x43684f;

/** A transaction whose number nobody has yet would get a position that is taken already, or one before it. */
const IS_BEHIND = `
  SELECT EXISTS (
    SELECT FROM change
    WHERE position >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + (SELECT value FROM change_offset)
  ) AS behind`;

/**
 * So far behind the last known position the next one is placed. A reader may have come further than the dump that was
 * restored; 2^32 transactions are more than it can be ahead, and the positions have room for two thousand million raises.
 */
const GAP = 2n ** 32n;

const RAISE = `
  UPDATE change_offset SET value = value + (SELECT max(position) FROM change) + $1 - (${POSITION_SQL})`;

/** What keeps positions growing when the registry moves into a database cluster with smaller transaction numbers. */
@Injectable()
export class ChangeOffset {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Raises the offset when new changes would be placed among old ones. Called before anything is written.
   * @returns whether it had to be raised.
   */
  async raise(): Promise<boolean> {
    return this.transactions.run(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [OFFSET_LOCK]);
      const { rows } = await transaction.query<{ behind: boolean }>(IS_BEHIND);
      if (rows[0]?.behind !== true) return false;
      // Waits for whoever has taken a position by the old offset, and makes those who come later see the new one: a reader
      // that counts by the new offset could otherwise go past them.
      await transaction.query('LOCK TABLE change IN SHARE MODE');
      await transaction.query(RAISE, [GAP.toString()]);
      return true;
    });
  }
}
