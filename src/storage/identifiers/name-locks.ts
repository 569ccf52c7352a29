import { arrayOf } from '../statement.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
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
