import type pg from 'pg';

/**
 * The position is that of the log: of a standby, up to which it shows changes. Physical copies of one database have the
 * same `registry`; 0 is no table, before the first migration. Needs no privilege beyond those of every role.
 */
const STATE = `
  SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS position,
         concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
                   (SELECT oid FROM pg_database WHERE datname = current_database()),
                   coalesce(to_regclass('identifier')::oid, 0)) AS registry`;

export interface ServerState {
  /** Octets from the beginning of the log. */
  readonly position: bigint;
  readonly registry: string;
}

/** What a client or a pool can do here. */
export interface Sessions {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<{ readonly rows: R[] }>;
}

/** The state of a server. A later statement of the same session sees at least everything up to its position. */
export async function readState(session: Sessions): Promise<ServerState> {
  const { rows } = await session.query<{ position: string | null; registry: string }>({
    name: 'server-state',
    text: STATE,
  });
  const [row] = rows;
  return { position: BigInt(row?.position ?? 0), registry: row?.registry ?? '' };
}
