import type pg from 'pg';

/** A poll with more rows reports that anything may have changed. */
export const MAX_POLLED_ROWS = 10_000;

/**
 * $1: the snapshot of the previous poll, or null; $2: the most rows of each half. A transaction that the snapshot does not
 * show has a number from its `xmax` on, or is one of those that were open. So each row that was committed since is found by
 * its position, also above the end of the feed, and the rows that a long transaction keeps out of the feed are not read
 * again. `origin` differs after another server, database or table has taken the place of the one that was read before, and
 * after a raise of the offset.
 */
export const LOG_POLL = `
  WITH changed AS MATERIALIZED (
    (SELECT identifier_id, naming_authority_id FROM change
     WHERE position >= pg_snapshot_xmax($1::pg_snapshot)::text::bigint + (SELECT value FROM log_offset)
     ORDER BY position, id LIMIT $2)
    UNION ALL
    (SELECT c.identifier_id, c.naming_authority_id
     FROM pg_snapshot_xip($1::pg_snapshot) AS open(xid)
     CROSS JOIN LATERAL (
       SELECT identifier_id, naming_authority_id FROM change
       WHERE position = open.xid::text::bigint + (SELECT value FROM log_offset) ORDER BY position, id LIMIT $2
     ) c
     LIMIT $2)
  )
  SELECT pg_current_snapshot()::text AS snapshot,
         pg_snapshot_xmax(pg_current_snapshot())::text AS next,
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time,
         CASE WHEN NOT pg_is_in_recovery() THEN (pg_current_wal_flush_lsn() - '0/0')::text END AS flushed,
         concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
                   (SELECT oid FROM pg_database WHERE datname = current_database()),
                   pg_relation_filenode('change'), pg_relation_filenode('identifier'),
                   (SELECT value FROM log_offset)) AS origin,
         ARRAY(SELECT identifier_id FROM changed WHERE identifier_id IS NOT NULL) AS identifiers,
         ARRAY(SELECT n.prefix FROM changed JOIN naming_authority n ON n.id = naming_authority_id
               WHERE identifier_id IS NULL) AS naming_authorities`;

/** How far a poll has read the log. */
export interface PollState {
  readonly snapshot: string;
  /** The number of the next transaction. */
  readonly next: bigint;
  readonly origin: string;
  /** The clock of the database, in milliseconds since 1970. */
  readonly time: number;
  /** The end of the durable log, after every change that the poll can have told; null on a server in recovery. */
  readonly flushed: bigint | null;
}

export interface Poll {
  readonly state: PollState;
  /** What was committed since the previous poll; null when that is unknown. */
  readonly changed: { readonly identifiers: readonly bigint[]; readonly namingAuthorities: readonly string[] } | null;
}

interface PollRow {
  readonly snapshot: string;
  readonly next: string;
  readonly origin: string;
  readonly time: number;
  readonly flushed: string | null;
  readonly identifiers: readonly string[];
  readonly naming_authorities: readonly string[];
}

/**
 * Reads which rows of the log were committed since an earlier poll.
 * @param pool with a connection that no other statement uses, and without sequential scans: the planner cannot know that few
 * rows are found.
 * @param previous null for the first poll.
 */
export async function pollLog(pool: pg.Pool, previous: PollState | null): Promise<Poll> {
  const values = [previous?.snapshot ?? null, MAX_POLLED_ROWS + 1];
  const { rows } = await pool.query<PollRow>({ name: 'poll-log', text: LOG_POLL, values });
  const [row] = rows;
  if (row === undefined) throw new TypeError('a poll is one row');
  const { snapshot, origin, time, identifiers, naming_authorities: namingAuthorities } = row;
  const flushed = row.flushed === null ? null : BigInt(row.flushed);
  const state = { snapshot, origin, time, next: BigInt(row.next), flushed };
  const isContinuous = previous !== null && previous.origin === origin && previous.next <= state.next;
  const isComplete = identifiers.length + namingAuthorities.length <= MAX_POLLED_ROWS;
  return {
    state,
    changed: isContinuous && isComplete ? { identifiers: identifiers.map(BigInt), namingAuthorities } : null,
  };
}
