import type { Facts } from './identifier-record.js';
import type { Queryable } from './transactions.js';

/** Who changes something: the client, and the id of the key it used, if it has one. */
export interface Actor {
  readonly client: string;
  readonly keyId: string | null;
}

/** The service itself, where nobody asked. */
export const SERVICE: Actor = { client: 'service', keyId: null };

/** What became of an identifier or a naming authority. */
export const CHANGE_KINDS = [
  ...['minted', 'registered', 'reserved', 'imported'],
  ...['activated', 'released', 'lapsed', 'changed', 'withdrawn', 'reinstated', 'created'],
] as const;
export type ChangeKind =
  | 'minted'
  | 'registered'
  | 'reserved'
  | 'imported'
  | 'activated'
  | 'released'
  | 'lapsed'
  | 'changed'
  | 'withdrawn'
  | 'reinstated'
  | 'created';

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add'; readonly path: ''; readonly value: object }
  | { readonly op: 'replace'; readonly path: string; readonly value: unknown };

/** The JSON Patch by which a document came to be. */
export function creation(document: object): PatchOperation[] {
  return [{ op: 'add', path: '', value: document }];
}

/** The JSON Patch from one version of a document to the next: members that differ are replaced whole. */
export function difference<T extends object>(before: T, after: T): PatchOperation[] {
  return Object.entries(after)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]))
    .map(([name, value]) => ({ op: 'replace', path: `/${name}`, value: value as unknown }));
}

/** The document of an identifier that its history patches. */
export function factsOf({ metadataId, target, alternateIds, state, leaseUntil, tombstone }: Facts): Facts {
  return { metadataId, target, alternateIds, state, leaseUntil, tombstone };
}

/** The position of the changes of this transaction, in SQL: its number, and what keeps order after a restore. */
export const POSITION_SQL = 'pg_current_xact_id()::text::bigint + (SELECT value FROM change_offset)';

/** How a statement in SQL appends to the history: the other columns follow, in this order, and where they come from. */
export const REMEMBER_SQL = `INSERT INTO change (position, naming_authority, identifier_id, version, kind, client, key_id, patch)
    SELECT ${POSITION_SQL}`;

/** A change to be remembered. */
export interface NewChange {
  readonly namingAuthority: string;
  /** Null for a change of the naming authority itself. */
  readonly identifierId: bigint | null;
  /** The version that the change makes. */
  readonly version: number;
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
}

const APPEND = `
  ${REMEMBER_SQL}, w.naming_authority, w.identifier_id, w.version, w.kind, $6, $7, w.patch
  FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::text[])
    AS w(naming_authority, identifier_id, version, kind, patch)`;

/** Appends changes in the transaction that makes them. */
export async function appendChanges(
  transaction: Queryable,
  actor: Actor,
  changes: readonly NewChange[],
): Promise<void> {
  await transaction.query(APPEND, [
    changes.map(({ namingAuthority }) => namingAuthority),
    changes.map(({ identifierId }) => identifierId?.toString() ?? null),
    changes.map(({ version }) => version),
    changes.map(({ kind }) => kind),
    changes.map(({ patch }) => JSON.stringify(patch)),
    actor.client,
    actor.keyId,
  ]);
}

/** "Chg" in ASCII: the space of the advisory locks that order changes. */
const CHANGE_LOCK = 0x436867;

/** "ChN" in ASCII: the same for naming authorities. */
const AUTHORITY_LOCK = 0x43684e;

/** Locks are buckets, so that a change of many identifiers stays below PostgreSQL's table of locks. */
const BUCKETS = 512;

/**
 * Waits until no other transaction changes any of these identifiers. It comes before everything else in a transaction:
 * an advisory lock needs no transaction number, so the number, which is the position in the log, is given out only after
 * all earlier changes of the same identifier were committed.
 */
export async function lockForChange(transaction: Queryable, ids: readonly bigint[]): Promise<void> {
  const buckets = [...new Set(ids.map((id) => Number(id % BigInt(BUCKETS))))].sort((a, b) => a - b);
  await transaction.query('SELECT pg_advisory_xact_lock($1, bucket) FROM unnest($2::int[]) AS bucket', [
    CHANGE_LOCK,
    buckets,
  ]);
}

/** The same for a naming authority. */
export async function lockAuthorityForChange(transaction: Queryable, prefix: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [AUTHORITY_LOCK, prefix]);
}
