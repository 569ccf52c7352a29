import { Actor, ChangeKind, PatchOperation } from '../../registry/change.js';
import { noteChanges } from '../touched.js';
import type { Queryable } from '../transactions.js';

export interface NewChange {
  readonly namingAuthority: string;
  readonly identifierId: bigint | null;
  readonly version: number;
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
  readonly at: Date;
}

/** $1 to $6: the changes; $7: the client; $8: the ID of its key. The position is the number of the transaction. */
const APPEND = `
  INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, key_id, patch, at)
  SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset),
         (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority), w.identifier_id, w.version, w.kind, $7, $8, w.patch, w.at
  FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::timestamptz[])
    AS w(naming_authority, identifier_id, version, kind, patch, at)`;

/** Appends changes in the transaction that makes them. */
export async function appendChanges(
  transaction: Queryable,
  actor: Actor,
  changes: readonly NewChange[],
): Promise<void> {
  noteChanges(transaction, changes);
  await transaction.query(APPEND, [
    changes.map(({ namingAuthority }) => namingAuthority),
    changes.map(({ identifierId }) => identifierId?.toString() ?? null),
    changes.map(({ version }) => version),
    changes.map(({ kind }) => kind),
    changes.map(({ patch }) => JSON.stringify(patch)),
    changes.map(({ at }) => at.toISOString()),
    actor.client,
    actor.keyId,
  ]);
}

/** "Chg" in ASCII: the space of the advisory locks that order changes. */
const CHANGE_LOCK = 0x436867;

/** "ChN" in ASCII: the same for naming authorities. */
const NAMING_AUTHORITY_LOCK = 0x43684e;

/** Bounds the number of locks, because PostgreSQL's lock table is small. */
const BUCKETS = 512;

// The time is read after the locks were granted, and rounded down to milliseconds, so that it is never in the future.

/** $1: `CHANGE_LOCK`; $2: the buckets. */
const LOCK_IDENTIFIERS = `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now
  FROM (SELECT count(pg_advisory_xact_lock($1, bucket)) FROM unnest($2::int[]) AS bucket) AS locked(n) WHERE n >= 0`;

/** $1: `NAMING_AUTHORITY_LOCK`; $2: the key of the prefix. */
const LOCK_NAMING_AUTHORITY = `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now
  FROM (SELECT count(pg_advisory_xact_lock($1, hashtext($2)))) AS locked(n) WHERE n >= 0`;

/**
 * Waits for other changes of these identifiers. Must come first: an advisory lock needs no transaction number, so the
 * number, which is the log position, is assigned after those changes.
 * @returns the time of the change, by the database clock after the wait.
 */
export async function lockForChange(transaction: Queryable, ids: readonly bigint[]): Promise<Date> {
  const buckets = [...new Set(ids.map((id) => Number(id % BigInt(BUCKETS))))].sort((a, b) => a - b);
  return timeAfter(transaction, LOCK_IDENTIFIERS, [CHANGE_LOCK, buckets]);
}

export async function lockNamingAuthorityForChange(transaction: Queryable, prefix: string): Promise<Date> {
  return timeAfter(transaction, LOCK_NAMING_AUTHORITY, [NAMING_AUTHORITY_LOCK, prefix]);
}

async function timeAfter(transaction: Queryable, lock: string, values: unknown[]): Promise<Date> {
  const { rows } = await transaction.query<{ now: Date }>(lock, values);
  if (rows[0] === undefined) throw new TypeError('a count is never negative');
  return rows[0].now;
}
