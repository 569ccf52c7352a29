import type { QueryConfig } from 'pg';
import { arrayOf, arrayOfDigests } from '../array-parameter.js';
import { APPEND_CHANGE_SQL } from '../changes/change-log.js';
import { INSERT_ONE_SQL } from './insert-one-statement.js';
import {
  COLUMNS,
  type Column,
  OBJECT_COLUMNS_SQL,
  OBJECT_VALUES_SQL,
  columnValues,
  rowValues,
  rowsOf,
} from './inserted-columns.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { prepared } from '../prepared.js';
import { describedSql } from './identifier-row.js';
import { INSERTABLE_SQL, noAlternateTaken } from './insert-conditions.js';

const PAIR_COLUMNS: readonly Column[] = [
  ['guid', 'uuid', ({ metadataRecord }) => metadataRecord?.address.guid ?? null],
  [
    'local_name',
    'text',
    ({ metadataRecord }) => (metadataRecord?.address.guid === null ? metadataRecord.localName : null),
  ],
  ['local_key', 'bytea', ({ metadataRecord }) => metadataRecord?.address.localKey ?? null],
  ['patch', 'json', ({ metadataRecord }) => JSON.stringify(metadataRecord?.patch)],
];

const PAIRS_FROM = COLUMNS.length + 2;
const ALTERNATES_FROM = PAIRS_FROM + PAIR_COLUMNS.length + 1;
const ALTERNATES = rowsOf('a', ALTERNATES_FROM, [['key', 'bytea']]);

/** What the statement has more where an object comes with alternates or with its metadata record. */
const MORE = {
  conditions: `
      AND ${noAlternateTaken(ALTERNATES)}`,
  inserts: `, pairs AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, w.* FROM (
      SELECT o.ordinal, o.naming_authority, o.lease_until, o.client, o.request_key, o.request_index + 1 AS request_index, o.request_hash,
             o.kind, o.key_id, p.guid, p.local_name, p.local_key, p.patch
      FROM ${rowsOf('p', PAIRS_FROM, PAIR_COLUMNS)} JOIN inserted o USING (ordinal) ORDER BY ordinal
    ) w
  ), paired AS (
    INSERT INTO identifier (id, naming_authority, guid, local_name, local_key, state, lease_until, client, request_key, request_index, request_hash)
    SELECT id, naming_authority, guid, local_name, local_key, CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until,
           CASE WHEN request_key IS NOT NULL THEN client END, request_key, request_index, request_hash
    FROM pairs
  ), alternates AS (
    INSERT INTO alternate_identifier (key, naming_authority, identifier_id)
    SELECT a.key, o.naming_authority, o.id FROM ${ALTERNATES} JOIN inserted o USING (ordinal)
  )`,
  changes: `
      UNION ALL
      SELECT naming_authority, id, CASE kind WHEN 'registered' THEN 'minted' ELSE kind END, client, key_id, patch, ordinal, 1 FROM pairs`,
  metadataRecordId: 'p.id',
  joins: ' LEFT JOIN pairs p USING (ordinal)',
};

const NOTHING_MORE: typeof MORE = {
  conditions: '',
  inserts: '',
  changes: '',
  metadataRecordId: 'NULL::bigint',
  joins: '',
};

/**
 * One statement, committed by itself or in a transaction of the caller.
 *
 * The unique indexes decide: the object's insert names no conflict target, so a row with a conflict is skipped.
 * Metadata records and alternates are inserted after their object, and their conflicts fail the whole statement. The
 * statement also reads what the object describes, so nothing can fail between the commit and the response.
 *
 * IDs are assigned before the insert, to identify the inserted rows.
 *
 * Two rows of one statement must not conflict in any unique index.
 */
const insertSql = (more: typeof MORE): string => `
  WITH input AS (SELECT * FROM ${rowsOf('w', 1, COLUMNS)}),
  insertable AS (
    SELECT w.* FROM input w WHERE ${INSERTABLE_SQL}${more.conditions}
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (SELECT nextval('identifier_id_seq') AS id, insertable.* FROM insertable),
  minted AS (
    INSERT INTO identifier (id, ${OBJECT_COLUMNS_SQL})
    SELECT id, ${OBJECT_VALUES_SQL}
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (
    SELECT *, CURRENT_TIMESTAMP::timestamptz(3) AS created_at FROM eligible WHERE (id IN (SELECT id FROM minted)) IS TRUE
  )${more.inserts}, logged AS (
    ${APPEND_CHANGE_SQL}, naming_authority, id, 1, kind, client, key_id, patch FROM (
      SELECT naming_authority, id, kind, client, key_id, patch, ordinal, 0 AS half FROM inserted${more.changes}
    ) rows ORDER BY ordinal, half
  )
  SELECT o.ordinal, o.id, o.created_at AS "createdAt", ${more.metadataRecordId} AS "metadataRecordId", ${describedSql('o.own_key')} AS describes
  FROM inserted o${more.joins}`;

/** The statement for objects alone, which most are: it takes less time to begin. */
const INSERT_SQL = insertSql(NOTHING_MORE);

const INSERT_MORE_SQL = insertSql(MORE);

export function insertQuery(items: readonly NewIdentifier[]): QueryConfig {
  const isAlone = items.every(({ metadataRecord, alternates }) => metadataRecord === null && alternates.length === 0);
  const [first, second] = items;
  if (isAlone && first !== undefined && second === undefined) {
    return { name: 'insert-one-identifier', text: INSERT_ONE_SQL, values: rowValues(COLUMNS, first) };
  }
  const values = [arrayOf(items.map((_, ordinal) => ordinal)), ...columnValues(COLUMNS, items)];
  // Nothing in it is joined, so one plan serves any number of rows.
  if (isAlone) return { name: 'insert-identifiers', text: INSERT_SQL, values };
  return prepared('insert-with-more', INSERT_MORE_SQL, [...values, ...moreValues(items)], items.length);
}

function moreValues(items: readonly NewIdentifier[]): unknown[] {
  const paired = items.flatMap((item, ordinal) => (item.metadataRecord === null ? [] : [{ item, ordinal }]));
  const alternates = items.flatMap((item, ordinal) => item.alternates.map(({ key }) => ({ ordinal, key })));
  return [
    arrayOf(paired.map(({ ordinal }) => ordinal)),
    ...columnValues(
      PAIR_COLUMNS,
      paired.map(({ item }) => item),
    ),
    arrayOf(alternates.map(({ ordinal }) => ordinal)),
    arrayOfDigests(alternates.map(({ key }) => key)),
  ];
}
