import type pg from 'pg';

/**
 * `position` is the end of the flushed WAL or, at a standby, of the replayed WAL. Physical copies of a database share the system identifier
 * and OIDs. Every role may run this statement.
 */
const STATE = `
  SELECT pg_is_in_recovery() AS "inRecovery",
         (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS position,
         concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
                   (SELECT oid FROM pg_database WHERE datname = current_database())) AS database,
         to_regclass('identifier')::oid::text AS "tableId"`;

export interface ServerState {
  readonly inRecovery: boolean;
  /** Bytes from the beginning of the WAL. */
  readonly position: bigint;
  /** The system identifier of the cluster, and the OID of the database. */
  readonly database: string;
  /** OID of the table of identifiers; null before the first migration. */
  readonly tableId: string | null;
}

/** What `pg.Client`, `pg.Pool` and `Replica` have in common. */
export interface Sessions {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<{ readonly rows: R[] }>;
}

/** Reads the state of a server. Later statements of the same session see at least everything up to the returned position. */
export async function readState(session: Sessions): Promise<ServerState> {
  const { rows } = await session.query<Omit<ServerState, 'position'> & { position: string | null }>({
    name: 'server-state',
    text: STATE,
  });
  const [row] = rows;
  if (row?.position == null) throw new Error('the server has no position of the log');
  return { ...row, position: BigInt(row.position) };
}

/** Fails for a role that may not read one of the tables that requests read at a replica. Reads no row. */
const READABLE = `
  SELECT FROM identifier_record, identifier, naming_authority, alternate_identifier, change, first_event, api_key, handle_user
  WHERE false`;

/** @throws the error of a table that is missing, locked, or not readable for the role. */
export async function requireReadable(session: Sessions): Promise<void> {
  await session.query({ name: 'replica-readable', text: READABLE });
}
