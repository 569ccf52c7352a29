import type { Identifier } from '../database/generated/client.js';
import type { IdentifierRecord, State } from './identifier-record.js';

/** Columns of `identifier` that a record is made of, named as Prisma names them; constant SQL gives the id as text. */
export type IdentifierRow = Omit<Pick<Identifier, keyof typeof RECORD_COLUMNS>, 'id'> & { id: bigint | string };

/** Leaves the keys behind: they are the database's business. */
export const RECORD_COLUMNS = {
  id: true,
  namingAuthority: true,
  guid: true,
  metadataId: true,
  target: true,
  alternateIds: true,
  state: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** The same columns for constant SQL. */
export const RECORD_COLUMNS_SQL = `id, naming_authority AS "namingAuthority", guid, metadata_id AS "metadataId", target,
  alternate_ids AS "alternateIds", state, version, created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Turns a row into a record. */
export function recordOf(row: IdentifierRow): IdentifierRecord {
  return { ...row, id: BigInt(row.id), guid: compactGuid(row.guid), state: row.state as State };
}

/** `F58FB49EB1F8…` of PostgreSQL's `f58fb49e-b1f8-…` (UUID-05). */
export function compactGuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase();
}
