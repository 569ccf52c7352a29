import type { QueryConfig } from 'pg';
import { arrayOf, arrayOfDigests, linesOf } from './array-parameter.js';
import type { Digest } from './digest.js';
import { prepared } from './prepared.js';
import { describedSql } from './rows.js';
import { POSITION_SQL } from './change-log.js';
import type { NewIdentifier } from './new-identifier.js';

/** A column of the rows to insert: its name, its type, and what it takes from a new identifier. `json` is a text of one line. */
export type Column<T = NewIdentifier> = readonly [
  name: string,
  type: string,
  value: (item: T) => string | number | null,
];

export const COLUMNS: readonly Column[] = [
  ['naming_authority', 'text', ({ authority }) => authority.prefix],
  ['authority_version', 'int', ({ authority }) => authority.version],
  ['guid', 'uuid', ({ address }) => address.guid],
  ['local_name', 'text', ({ address, localName }) => (address.guid === null ? localName : null)],
  ['local_key', 'bytea', ({ address }) => address.localKey],
  ['metadata_id', 'text', ({ metadata }) => metadata?.canonical ?? null],
  ['metadata_key', 'bytea', ({ metadata }) => metadata?.key ?? null],
  ['target', 'text', ({ target }) => target],
  [
    'alternate_ids',
    'text',
    ({ alternates }) => (alternates.length === 0 ? null : JSON.stringify(alternates.map(({ canonical }) => canonical))),
  ],
  ['lease_until', 'timestamptz', ({ leaseUntil }) => leaseUntil?.toISOString() ?? null],
  ['reservation', 'uuid', ({ reservation }) => reservation ?? null],
  ['client', 'text', ({ actor }) => actor.client],
  ['key_id', 'text', ({ actor }) => actor.keyId],
  ['request_key', 'text', ({ request }) => request?.key ?? null],
  ['request_index', 'int', ({ request }) => request?.index ?? null],
  ['request_hash', 'bytea', ({ request }) => request?.hash ?? null],
  ['own_key', 'bytea', ({ ownKey }) => ownKey],
  ['kind', 'text', ({ kind }) => kind],
  ['patch', 'json', ({ patch }) => JSON.stringify(patch)],
];

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

/** `unnest($from::int[], …) AS alias(place, …)`: rows from one array a column, as `columnValues` gives them. */
export function rowsOf(
  alias: string,
  from: number,
  columns: readonly (readonly [string, string, ...unknown[]])[],
): string {
  const all = [['place', 'int'] as const, ...columns];
  const arrays = all
    .map(([, type], index) =>
      type === 'json' ? `string_to_array($${from + index}, E'\\n')` : `$${from + index}::${type}[]`,
    )
    .join(', ');
  return `unnest(${arrays}) AS ${alias}(${all.map(([name]) => name).join(', ')})`;
}

const PAIRS_FROM = COLUMNS.length + 2;
const ALTERNATES_FROM = PAIRS_FROM + PAIR_COLUMNS.length + 1;
const ALTERNATES = rowsOf('a', ALTERNATES_FROM, [['key', 'bytea']]);

/**
 * Nothing is in the way of a row `w` in a table. Looked up row by row, by an index: the words at the end keep the planner from
 * joining the tables instead, which it would do by the wrong index as long as it knows nothing of what is in them.
 */
export const unmet = (table: string, condition: string): string =>
  `NOT EXISTS (SELECT FROM ${table} x WHERE ${condition} OFFSET 0)`;

/** None of the alternates `a` of a row `w` of `wanted` has an identifier; all of them are looked up once, and as above. */
export function alternatesUnmet(alternates: string): string {
  const met = `NOT ${unmet('alternate_identifier', 'x.key = a.key AND x.naming_authority = v.naming_authority')}`;
  return `w.place NOT IN (SELECT a.place FROM ${alternates} JOIN wanted v USING (place) WHERE ${met})`;
}

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
 * `free` leaves out what no unique index would: what a naming authority does not allow, a key whose outcome is no identifier,
 * and a single mint, which stands at place 0, with the key of a stream, whose lines stand behind it. Everything else is for the
 * unique indexes to decide: no conflict target is named for the object, so every index counts and its row is left out, which
 * writes nothing; a metadata record and alternates are inserted after their object, and a conflict of theirs fails the whole
 * statement, so that no half of anything can exist. What the object describes is read in the same statement: once it
 * is committed, nothing that could fail stands between the client and the answer.
 *
 * Ids are given out before the rows are inserted, so that what was inserted is known by them, whatever the planner thinks of
 * how many rows there are.
 *
 * Two rows of one statement must not meet each other in any unique index.
 */
const insertSql = (more: typeof MORE): string => `
  WITH wanted AS (SELECT * FROM ${rowsOf('w', 1, COLUMNS)}),
  free AS (
    SELECT w.* FROM wanted w
    WHERE (SELECT n.status = 'active' AND n.version = w.authority_version FROM naming_authority n WHERE n.prefix = w.naming_authority)
      AND (w.request_index <> 0 OR ${unmet('identifier', 'x.client = w.client AND x.request_key = w.request_key')})
      AND ${unmet('request', 'x.client = w.client AND x.key = w.request_key')}${more.unmet}
    ORDER BY w.place
  ), eligible AS MATERIALIZED (SELECT nextval('identifier_id_seq') AS id, free.* FROM free),
  minted AS (
    INSERT INTO identifier (id, naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, request_key, request_index, request_hash)
    SELECT id, naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NULL THEN '{}' ELSE ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           CASE WHEN request_key IS NOT NULL THEN client END, request_key, request_index, request_hash
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), placed AS MATERIALIZED (
    SELECT *, CURRENT_TIMESTAMP::timestamptz(3) AS created_at FROM eligible WHERE (id IN (SELECT id FROM minted)) IS TRUE
  )${more.inserts}, remembered AS (
    INSERT INTO change (position, naming_authority, identifier_id, version, kind, client, key_id, patch)
    SELECT ${POSITION_SQL}, naming_authority, id, 1, kind, client, key_id, patch FROM (
      SELECT naming_authority, id, kind, client, key_id, patch, place, 0 AS half FROM placed${more.changes}
    ) rows ORDER BY place, half
  )
  SELECT o.place, o.id, o.created_at AS "createdAt", ${more.metadataRecordId} AS "metadataRecordId", ${describedSql('o.own_key')} AS describes
  FROM placed o${more.answer}`;

/** The statement for objects alone, which most are: a third of its time goes into being begun. */
export const INSERT_SQL = insertSql(NOTHING_MORE);

const INSERT_MORE_SQL = insertSql(MORE);

/** The statement that inserts some identifiers, with its parameters. */
export function insertQuery(items: readonly NewIdentifier[]): QueryConfig {
  const isAlone = items.every(({ metadataRecord, alternates }) => metadataRecord === null && alternates.length === 0);
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

/** What columns take from some rows, each as one parameter. */
export function columnValues<T>(columns: readonly Column<T>[], items: readonly T[]): (string | null)[] {
  return columns.map(([, type, value]) => {
    const values = items.map(value);
    if (type === 'json') return linesOf(values as string[]);
    return type === 'bytea' ? arrayOfDigests(values as (Digest | null)[]) : arrayOf(values);
  });
}
