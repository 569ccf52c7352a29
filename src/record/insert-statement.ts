import type { QueryConfig } from 'pg';
import { arrayOf, arrayOfDigests } from './array-parameter.js';
import { REMEMBER_SQL } from './change-log.js';
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
import type { NewIdentifier } from './new-identifier.js';
import { prepared } from './prepared.js';
import { describedSql } from './rows.js';
import { FREE_SQL, alternatesUnmet } from './unmet.js';

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
  unmet: `
      AND ${alternatesUnmet(ALTERNATES)}`,
  inserts: `, pairs AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, w.* FROM (
      SELECT o.place, o.naming_authority, o.lease_until, o.client, o.request_key, o.request_index + 1 AS request_index, o.request_hash,
             o.kind, o.key_id, p.guid, p.local_name, p.local_key, p.patch
      FROM ${rowsOf('p', PAIRS_FROM, PAIR_COLUMNS)} JOIN placed o USING (place) ORDER BY place
    ) w
  ), paired AS (
    INSERT INTO identifier (id, naming_authority, guid, local_name, local_key, state, lease_until, client, request_key, request_index, request_hash)
    SELECT id, naming_authority, guid, local_name, local_key, CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until,
           CASE WHEN request_key IS NOT NULL THEN client END, request_key, request_index, request_hash
    FROM pairs
  ), kept_alternates AS (
    INSERT INTO alternate_identifier (key, naming_authority, identifier_id)
    SELECT a.key, o.naming_authority, o.id FROM ${ALTERNATES} JOIN placed o USING (place)
  )`,
  changes: `
      UNION ALL
      SELECT naming_authority, id, CASE kind WHEN 'registered' THEN 'minted' ELSE kind END, client, key_id, patch, place, 1 FROM pairs`,
  metadataRecordId: 'p.id',
  answer: ' LEFT JOIN pairs p USING (place)',
};

const NOTHING_MORE: typeof MORE = { unmet: '', inserts: '', changes: '', metadataRecordId: 'NULL::bigint', answer: '' };

/**
 * One statement, committed by itself or in a transaction of its caller.
 *
 * What `free` does not leave out is for the unique indexes to decide: no conflict target is named for the object, so every index
 * counts and its row is left out, which writes nothing; a metadata record and alternates are inserted after their object, and a
 * conflict of theirs fails the whole statement, so that no half of anything can exist. What the object describes is read in
 * the same statement: once it is committed, nothing that could fail stands between the client and the answer.
 *
 * Ids are given out before the rows are inserted, so that what was inserted is known by them, whatever the planner thinks of
 * how many rows there are.
 *
 * Two rows of one statement must not meet each other in any unique index.
 */
const insertSql = (more: typeof MORE): string => `
  WITH wanted AS (SELECT * FROM ${rowsOf('w', 1, COLUMNS)}),
  free AS (
    SELECT w.* FROM wanted w WHERE ${FREE_SQL}${more.unmet}
    ORDER BY w.place
  ), eligible AS MATERIALIZED (SELECT nextval('identifier_id_seq') AS id, free.* FROM free),
  minted AS (
    INSERT INTO identifier (id, ${OBJECT_COLUMNS_SQL})
    SELECT id, ${OBJECT_VALUES_SQL}
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), placed AS MATERIALIZED (
    SELECT *, CURRENT_TIMESTAMP::timestamptz(3) AS created_at FROM eligible WHERE (id IN (SELECT id FROM minted)) IS TRUE
  )${more.inserts}, remembered AS (
    ${REMEMBER_SQL}, naming_authority, id, 1, kind, client, key_id, patch FROM (
      SELECT naming_authority, id, kind, client, key_id, patch, place, 0 AS half FROM placed${more.changes}
    ) rows ORDER BY place, half
  )
  SELECT o.place, o.id, o.created_at AS "createdAt", ${more.metadataRecordId} AS "metadataRecordId", ${describedSql('o.own_key')} AS describes
  FROM placed o${more.answer}`;

/** The statement for objects alone, which most are: it takes less time to begin. */
const INSERT_SQL = insertSql(NOTHING_MORE);

const INSERT_MORE_SQL = insertSql(MORE);

/** The statement that inserts some identifiers, with its parameters. */
export function insertQuery(items: readonly NewIdentifier[]): QueryConfig {
  const isAlone = items.every(({ metadataRecord, alternates }) => metadataRecord === null && alternates.length === 0);
  const [first, second] = items;
  if (isAlone && first !== undefined && second === undefined) {
    return { name: 'insert-one-identifier', text: INSERT_ONE_SQL, values: rowValues(COLUMNS, first) };
  }
  const values = [arrayOf(items.map((_, place) => place)), ...columnValues(COLUMNS, items)];
  // Nothing in it is joined, so one plan serves any number of rows.
  if (isAlone) return { name: 'insert-identifiers', text: INSERT_SQL, values };
  return prepared('insert-with-more', INSERT_MORE_SQL, [...values, ...moreValues(items)], items.length);
}

function moreValues(items: readonly NewIdentifier[]): unknown[] {
  const paired = items.flatMap((item, place) => (item.metadataRecord === null ? [] : [{ item, place }]));
  const alternates = items.flatMap((item, place) => item.alternates.map(({ key }) => ({ place, key })));
  return [
    arrayOf(paired.map(({ place }) => place)),
    ...columnValues(
      PAIR_COLUMNS,
      paired.map(({ item }) => item),
    ),
    arrayOf(alternates.map(({ place }) => place)),
    arrayOfDigests(alternates.map(({ key }) => key)),
  ];
}
