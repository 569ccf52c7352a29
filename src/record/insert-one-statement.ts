import { REMEMBER_SQL } from './change-log.js';
import { COLUMNS, OBJECT_COLUMNS_SQL, OBJECT_VALUES_SQL, rowOf } from './inserted-columns.js';
import { describedSql } from './rows.js';
import { FREE_SQL } from './unmet.js';

const ROW = rowOf('w', COLUMNS);

/**
 * The statement for one object alone, by the rules of the one for many. That one keeps its rows, to match what was inserted
 * with what was asked for; with a single row there is nothing to match, and a fifth of PostgreSQL's time is saved.
 */
export const INSERT_ONE_SQL = `
  WITH minted AS (
    INSERT INTO identifier (${OBJECT_COLUMNS_SQL})
    SELECT ${OBJECT_VALUES_SQL}
    FROM ${ROW} WHERE ${FREE_SQL}
    ON CONFLICT DO NOTHING
    RETURNING id, created_at
  ), remembered AS (
    ${REMEMBER_SQL}, w.naming_authority, id, 1, w.kind, w.client, w.key_id, w.patch FROM minted, ${ROW}
  )
  SELECT 0 AS place, id, created_at AS "createdAt", NULL::bigint AS "metadataRecordId", ${describedSql('w.own_key')} AS describes
  FROM minted, ${ROW}`;
