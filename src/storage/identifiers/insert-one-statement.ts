import { APPEND_CHANGE_SQL } from '../changes/change-log.js';
import { COLUMNS, OBJECT_COLUMNS_SQL, OBJECT_VALUES_SQL, rowOf } from './inserted-columns.js';
import { describedSql } from './identifier-row.js';
import { INSERTABLE_ONE_SQL } from './insert-conditions.js';

const ROW = rowOf('w', COLUMNS);

/**
 * The statement for one object alone, by the rules of the one for many. That one keeps its rows, to match what was inserted
 * with what was asked for; with a single row there is nothing to match, and a fifth of PostgreSQL's time is saved.
 */
export const INSERT_ONE_SQL = `
  WITH minted AS (
    INSERT INTO identifier (${OBJECT_COLUMNS_SQL})
    SELECT ${OBJECT_VALUES_SQL}
    FROM ${ROW} WHERE ${INSERTABLE_ONE_SQL}
    ON CONFLICT DO NOTHING
    RETURNING id, created_at
  ), logged AS (
    ${APPEND_CHANGE_SQL}, w.naming_authority, id, 1, w.kind, w.client, w.key_id, w.patch FROM minted, ${ROW}
  )
  SELECT 0 AS ordinal, id, created_at AS "createdAt", NULL::bigint AS "metadataRecordId", ${describedSql('w.own_key')} AS describes
  FROM minted, ${ROW}`;
