import type pg from 'pg';

/**
 * The position is that of the log: of a standby, up to which it shows changes. Physical copies of one database have the
 * same system identifier and OIDs. Needs no privilege beyond those of every role.
 */
const STATE = `
  SELECT pg_is_in_recovery() AS "inRecovery",
         (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS position,
         concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
                   (SELECT oid FROM pg_database WHERE datname = current_database())) AS database,
         to_regclass('identifier')::oid::text AS "tableId"`;

export interface ServerState {
  readonly inRecovery: boolean;
  /** Bytes from the beginning of the log. */
  readonly position: bigint;
  /** The system identifier of the cluster, and the OID of the database. */
  readonly database: string;
  /** The OID of the table of identifiers; null without one: before the first migration. */
  readonly tableId: string | null;
}

/** What a client or a pool can do here. */
export interface Sessions {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<{ readonly rows: R[] }>;
}

/**
 * The state of a server. A later statement of the same session sees at least everything up to its position.
 * @throws Error where a standby has replayed nothing yet, and the errors of the statement.
 */
export async function readState(session: Sessions): Promise<ServerState> {
  const { rows } = await session.query<Omit<ServerState, 'position'> & { position: string | null }>({
    name: 'server-state',
    text: STATE,
  });
  const [row] = rows;
  if (row?.position == null) throw new Error('the server has no position of the log');
  return { ...row, position: BigInt(row.position) };
}
