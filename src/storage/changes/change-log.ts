import type { QueryConfig } from 'pg';
import { Actor, ChangeKind, PatchOperation } from '../../registry/change.js';
import { noteChanges } from '../touched.js';
import type { Queryable } from '../transactions.js';
import { POSITION_GATE } from './position-offset.js';

export interface NewChange {
  readonly namingAuthority: string;
  readonly version: number;
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
  readonly at: Date;
}

const APPEND = `
  WITH ${POSITION_GATE}
  INSERT INTO change (position, naming_authority_id, version, kind, patch, at, client, key_id)
  VALUES (pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset),
          (SELECT n.id FROM naming_authority n WHERE n.prefix = $1), $2, $3, $4, $5, $6, $7)`;

/** Appends a change of a naming authority in its transaction. The statement that updates identifiers appends their changes. */
export async function appendChange(
  transaction: Queryable,
  actor: Actor,
  { namingAuthority, version, kind, patch, at }: NewChange,
): Promise<void> {
  noteChanges(transaction, [{ identifierId: null, namingAuthority }]);
  await transaction.query(APPEND, [
    ...[namingAuthority, version, kind, JSON.stringify(patch), at.toISOString()],
    ...[actor.client, actor.keyId],
  ]);
}

/** "Chg" in ASCII: the space of the advisory locks that order changes of identifiers. */
const CHANGE_LOCK = 0x436867;

/** "ChN" in ASCII: the space of the advisory locks that order changes of naming authorities. */
const NAMING_AUTHORITY_LOCK = 0x43684e;

/** Maximum number of different locks of each kind, because the lock table of PostgreSQL is small. */
const BUCKETS = 512;

// The `LOCK_` statements read the time after the locks are granted, and round it down to milliseconds, so that it is never in the future.

/**
 * Selects the metadata records that were minted with reserved objects. For OFFSET 0, see "Planner assumptions" in architecture.md. The
 * parameter is in a subquery, which hides its length from the planner, so that a session keeps one plan.
 */
export const reservedPairs = (ids: '$1' | '$2'): string => `
  SELECT i.id, i.metadata_record_id FROM unnest((SELECT ${ids}::bigint[])) AS w(id) CROSS JOIN LATERAL (
    SELECT x.id, x.state, x.metadata_record_id FROM identifier x WHERE x.id = w.id OFFSET 0
  ) i WHERE i.state = 'reserved' AND i.metadata_record_id IS NOT NULL`;

/** IDs of metadata records by the IDs of the objects with which they were minted. */
export type PairedIds = ReadonlyMap<bigint, bigint>;

/**
 * $1: `CHANGE_LOCK`; $2: the IDs; $3: `BUCKETS`. Locks are taken in one order to prevent deadlocks. An object never gets another
 * `metadata_record_id`, and an identifier becomes reserved only by its mint, so the pairs seen before the wait are complete.
 */
const LOCK_IDENTIFIERS = {
  name: 'lock-identifiers',
  text: `
  WITH pairs AS MATERIALIZED (${reservedPairs('$2')}
  ), buckets AS MATERIALIZED (
    SELECT DISTINCT (id % $3)::int AS bucket
    FROM (SELECT unnest((SELECT $2::bigint[])) UNION ALL SELECT metadata_record_id FROM pairs) AS locked(id) ORDER BY bucket
  ), locked AS MATERIALIZED (SELECT count(pg_advisory_xact_lock($1, bucket)) AS n FROM buckets)
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now, (SELECT json_object_agg(id, metadata_record_id::text) FROM pairs) AS pairs
  FROM locked WHERE n >= 0`,
};

/** $1: `NAMING_AUTHORITY_LOCK`; $2: the key of the prefix. */
const LOCK_NAMING_AUTHORITY = `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now
  FROM (SELECT count(pg_advisory_xact_lock($1, hashtext($2)))) AS locked(n) WHERE n >= 0`;

/**
 * Waits for other changes of these identifiers, and of the metadata records minted with reserved identifiers, and prevents further changes
 * until the transaction ends. Must come first in a transaction: an advisory lock needs no transaction number, so the number, which
 * determines the log position, is assigned after those changes.
 * @returns the time of the change, by the database clock after the wait, and the IDs of these metadata records.
 */
export async function lockForChange(
  transaction: Queryable,
  ids: readonly bigint[],
): Promise<{ readonly now: Date; readonly pairs: PairedIds }> {
  const query = { ...LOCK_IDENTIFIERS, values: [CHANGE_LOCK, ids.map(String), BUCKETS] };
  const { now, pairs } = await locked<{ now: Date; pairs: Readonly<Record<string, string>> | null }>(
    transaction,
    query,
  );
  return { now, pairs: new Map(Object.entries(pairs ?? {}).map(([id, record]) => [BigInt(id), BigInt(record)])) };
}

export async function lockNamingAuthorityForChange(transaction: Queryable, prefix: string): Promise<Date> {
  const query = { text: LOCK_NAMING_AUTHORITY, values: [NAMING_AUTHORITY_LOCK, prefix] };
  return (await locked<{ now: Date }>(transaction, query)).now;
}

async function locked<T extends object>(transaction: Queryable, query: QueryConfig): Promise<T> {
  const { rows } = await transaction.query<T>(query);
  if (rows[0] === undefined) throw new TypeError('a count is never negative');
  return rows[0];
}
