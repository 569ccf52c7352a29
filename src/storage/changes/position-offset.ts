import { Injectable } from '@nestjs/common';
import { Transactions } from '../transactions.js';

/** "ChO" in ASCII: the advisory lock under which one process at a time raises the offset. */
const OFFSET_LOCK = 0x43684f;

/** An unassigned transaction number would get a position that exists already, or an earlier one. */
const IS_BEHIND = `
  SELECT greatest((SELECT max(position) FROM change), (SELECT max(position) FROM first_event))
           >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + value AS behind
  FROM change_offset`;

const GAP = 2n ** 32n;

/** $1: `GAP`. The last term is the position of an event of this transaction. */
const RAISE = `
  UPDATE change_offset
  SET value = value + greatest((SELECT max(position) FROM change), (SELECT max(position) FROM first_event)) + $1
              - (pg_current_xact_id()::text::bigint + (SELECT value FROM change_offset))`;

/** Keeps positions ascending when the registry moves to a database cluster with smaller transaction numbers. */
@Injectable()
export class PositionOffset {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Raises the offset when new changes would get earlier positions. Called before anything is written.
   * @returns whether it was raised.
   */
  async raise(): Promise<boolean> {
    return this.transactions.run(async (transaction) => {
      await transaction.query('SELECT pg_advisory_xact_lock($1)', [OFFSET_LOCK]);
      const { rows } = await transaction.query<{ behind: boolean }>(IS_BEHIND);
      if (rows[0]?.behind !== true) return false;
      // Waits for transactions with the old offset, whose events a reader could otherwise miss.
      await transaction.query('LOCK TABLE change, identifier IN SHARE MODE');
      await transaction.query(RAISE, [GAP.toString()]);
      return true;
    });
  }
}
