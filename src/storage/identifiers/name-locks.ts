import { arrayOf } from '../statement.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import type { Digest } from '../../registry/uuid.js';
import type { Queryable } from '../transactions.js';

/** A name of this service that a transaction will register, or claim as an alternate identifier. */
export interface LockedName {
  readonly address: Address;
  readonly isClaim: boolean;
}

/**
 * Locks names until the end of a transaction, before the statement that reads whether they are free. Statements that insert identifiers
 * lock their names themselves (`taken_names` in the migration).
 */
export async function lockNames(transaction: Queryable, names: readonly LockedName[]): Promise<void> {
  if (names.length === 0) return;
  await transaction.query('SELECT lock_names($1::text[], $2::uuid[], $3::boolean[])', [
    arrayOf(names.map(({ address }) => address.namingAuthority)),
    arrayOf(names.map(({ address }) => address.guid ?? address.localKey)),
    names.map(({ isClaim }) => isClaim),
  ]);
}

export interface LockedMetadataId {
  readonly namingAuthority: string;
  readonly key: Digest;
}

/** $1: prefixes; $2: keys of metadata IDs. 5066829 ("MPM" in ASCII): the space of these locks, which are numbered as in `lock_names`. */
const LOCK_METADATA_IDS = (lock: string): string => `
  SELECT ${lock}(5066829, l.number) FROM (
    SELECT DISTINCT (n.id & 7) * 64 + (uuid_hash(w.key) & 63) AS number
    FROM unnest($1::text[], $2::uuid[]) AS w(prefix, key) JOIN naming_authority n ON n.prefix = w.prefix ORDER BY 1
  ) l`;

/**
 * Locks metadata IDs until the end of a transaction that inserts them with several statements.
 * @param isAlone whether the transaction does not insert them in the order of their keys, so that no other one may run concurrently.
 */
export async function lockMetadataIds(
  transaction: Queryable,
  names: readonly LockedMetadataId[],
  isAlone: boolean,
): Promise<void> {
  if (names.length === 0) return;
  const lock = isAlone ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await transaction.query(LOCK_METADATA_IDS(lock), [
    arrayOf(names.map(({ namingAuthority }) => namingAuthority)),
    arrayOf(names.map(({ key }) => key)),
  ]);
}
