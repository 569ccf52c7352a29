import { arrayOf, arrayOfDigests } from '../array-parameter.js';
import { APPEND_CHANGE_SQL } from '../changes/change-log.js';
import type { ImportedIdentifier } from '../../registry/imported-identifier.js';
import { COLUMNS, type Column, columnValues, noAlternateTaken, notExists, rowsOf } from './insert-statement.js';

const LIFE_COLUMNS: readonly Column<ImportedIdentifier>[] = [
  ['state', 'text', ({ state }) => state],
  ['version', 'int', ({ version }) => version],
  ['created_at', 'timestamptz', ({ createdAt }) => createdAt.toISOString()],
  ['updated_at', 'timestamptz', ({ updatedAt }) => updatedAt.toISOString()],
  ['withdrawn_at', 'timestamptz', ({ tombstone }) => tombstone?.withdrawnAt.toISOString() ?? null],
  ['withdrawal_reason', 'text', ({ tombstone }) => tombstone?.reason ?? null],
  ['replaced_by', 'text', ({ tombstone }) => tombstone?.replacedBy ?? null],
];

const ALL_COLUMNS: readonly Column<ImportedIdentifier>[] = [...COLUMNS, ...LIFE_COLUMNS];

const ALTERNATES = rowsOf('a', ALL_COLUMNS.length + 2, [['key', 'bytea']]);

/** Inserts identifiers whose history starts with their version. Two rows must not conflict in any unique index. */
export const IMPORT_SQL = `
  WITH input AS (SELECT * FROM ${rowsOf('w', 1, ALL_COLUMNS)}),
  insertable AS (
    SELECT w.* FROM input w
    WHERE ${notExists('identifier', 'x.metadata_key = w.metadata_key AND x.naming_authority = w.naming_authority')}
      AND ${notExists('identifier', 'x.naming_authority = w.naming_authority AND x.guid = w.guid')}
      AND ${notExists('identifier', 'x.local_key = w.local_key AND x.naming_authority = w.naming_authority')}
      AND ${noAlternateTaken(ALTERNATES)}
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (SELECT nextval('identifier_id_seq') AS id, insertable.* FROM insertable),
  imported AS (
    INSERT INTO identifier (id, naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, version, created_at, updated_at, withdrawn_at, withdrawal_reason, replaced_by)
    SELECT id, naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NULL THEN '{}' ELSE ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           state, lease_until, version, created_at, updated_at, withdrawn_at, withdrawal_reason, replaced_by
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (SELECT * FROM eligible WHERE (id IN (SELECT id FROM imported)) IS TRUE),
  alternates AS (
    INSERT INTO alternate_identifier (key, naming_authority, identifier_id)
    SELECT a.key, o.naming_authority, o.id FROM ${ALTERNATES} JOIN inserted o USING (ordinal)
  ), logged AS (
    ${APPEND_CHANGE_SQL}, naming_authority, id, version, kind, client, key_id, patch FROM inserted ORDER BY ordinal
  )
  SELECT ordinal FROM inserted`;

export function importValues(items: readonly ImportedIdentifier[]): unknown[] {
  const alternates = items.flatMap((item, ordinal) => item.alternates.map(({ key }) => ({ ordinal, key })));
  return [
    arrayOf(items.map((_, ordinal) => ordinal)),
    ...columnValues(ALL_COLUMNS, items),
    arrayOf(alternates.map(({ ordinal }) => ordinal)),
    arrayOfDigests(alternates.map(({ key }) => key)),
  ];
}
