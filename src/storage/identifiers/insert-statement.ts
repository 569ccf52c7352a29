import type { QueryConfig } from 'pg';
import { type Digest, bytea } from '../../registry/digest.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { arrayOf, arrayOfDigests, linesOf } from '../array-parameter.js';
import { APPEND_CHANGE_SQL } from '../changes/change-log.js';
import { prepared } from '../prepared.js';
import { describedSql } from './identifier-row.js';

export type Column<T = NewIdentifier> = readonly [
  name: string,
  type: string,
  value: (item: T) => string | number | null,
];

type Typed = readonly [name: string, type: string, ...rest: unknown[]];

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
  ['request_hash', 'bytea', ({ request }) => request?.fingerprint ?? null],
  ['own_key', 'bytea', ({ selfKey }) => selfKey],
  ['kind', 'text', ({ kind }) => kind],
  ['patch', 'json', ({ patch }) => JSON.stringify(patch)],
];

const OBJECT_COLUMNS_SQL = `naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, request_key, request_index, request_hash`;

const OBJECT_VALUES_SQL = `naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NULL THEN '{}' ELSE ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           CASE WHEN request_key IS NOT NULL THEN client END, request_key, request_index, request_hash`;

/** `unnest($from::int[], …) AS alias(ordinal, …)`: rows from one array a column, as `columnValues` gives them. */
export function rowsOf(alias: string, from: number, columns: readonly Typed[]): string {
  const all = [['ordinal', 'int'] as const, ...columns];
  const arrays = all
    .map(([, type], index) =>
      type === 'json' ? `string_to_array($${from + index}, E'\\n')` : `$${from + index}::${type}[]`,
    )
    .join(', ');
  return `unnest(${arrays}) AS ${alias}(${all.map(([name]) => name).join(', ')})`;
}

/** `(SELECT $1::text AS naming_authority, …) AS alias`: the one row of parameters that `rowValues` gives. */
function rowOf(alias: string, columns: readonly Typed[]): string {
  const values = columns.map(([name, type], index) => `$${index + 1}::${type === 'json' ? 'text' : type} AS ${name}`);
  return `(SELECT ${values.join(', ')}) AS ${alias}`;
}

function arrayParameter(column: string): string {
  return `$${COLUMNS.findIndex(([name]) => name === column) + 2}`;
}

export function columnValues<T>(columns: readonly Column<T>[], items: readonly T[]): (string | null)[] {
  return columns.map(([, type, value]) => {
    const values = items.map(value);
    if (type === 'json') return linesOf(values as string[]);
    return type === 'bytea' ? arrayOfDigests(values as (Digest | null)[]) : arrayOf(values);
  });
}

function rowValues<T>(columns: readonly Column<T>[], item: T): (string | number | null)[] {
  return columns.map(([, type, value]) => {
    const cell = value(item);
    return type === 'bytea' && cell !== null ? bytea(cell as Digest) : cell;
  });
}

/**
 * No row of a table meets a condition on a row `w`. OFFSET 0 prevents a join, for which the planner would choose a
 * wrong index while it has no statistics.
 */
export const notExists = (table: string, condition: string): string =>
  `NOT EXISTS (SELECT FROM ${table} x WHERE ${condition} OFFSET 0)`;

export function noAlternateTaken(alternates: string): string {
  const isTaken = `NOT ${notExists('alternate_identifier', 'x.key = a.key AND x.naming_authority = v.naming_authority')}`;
  return `w.ordinal NOT IN (SELECT a.ordinal FROM ${alternates} JOIN input v USING (ordinal) WHERE ${isTaken})`;
}

/**
 * What no unique index checks of a row `w`: its naming authority, and that its request index is free (see the function
 * in the migrations). `usable` tests the latter in SQL; it is not evaluated for a row without a key.
 */
const insertable = (usable: string): string => `
  (SELECT n.status = 'active' AND n.version = w.authority_version FROM naming_authority n WHERE n.prefix = w.naming_authority)
      AND (w.request_key IS NULL OR ${usable})`;

const INSERTABLE_ONE_SQL = insertable(
  'EXISTS (SELECT FROM usable_request_places(ARRAY[w.client], ARRAY[w.request_key], ARRAY[w.request_index]))',
);

/** For the rows of `input`, whose keys are locked by one call. */
const INSERTABLE_SQL = insertable(
  `w.ordinal + 1 IN (SELECT usable_request_places(${arrayParameter('client')}::text[], ${arrayParameter('request_key')}::text[], ${arrayParameter('request_index')}::int[]))`,
);

const ONE_ROW = rowOf('w', COLUMNS);

/** For one object: it matches no rows by their ordinals, which saves a fifth of the time of PostgreSQL. */
const INSERT_ONE_SQL = `
  WITH minted AS (
    INSERT INTO identifier (${OBJECT_COLUMNS_SQL})
    SELECT ${OBJECT_VALUES_SQL}
    FROM ${ONE_ROW} WHERE ${INSERTABLE_ONE_SQL}
    ON CONFLICT DO NOTHING
    RETURNING id, created_at
  ), logged AS (
    ${APPEND_CHANGE_SQL}, w.naming_authority, id, 1, w.kind, w.client, w.key_id, w.patch FROM minted, ${ONE_ROW}
  )
  SELECT 0 AS ordinal, id, created_at AS "createdAt", NULL::bigint AS "metadataRecordId", ${describedSql('w.own_key')} AS describes
  FROM minted, ${ONE_ROW}`;

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

/** The additional parts of the statement for objects with alternates or with a metadata record. */
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
 * The unique indexes decide: the insert of an object names no conflict target, so a row with a conflict is skipped. The
 * conflicts of metadata records and alternates, which are inserted later, fail the whole statement. It also reads what
 * the object describes, so nothing can fail between the commit and the response. IDs are assigned before the insert, to
 * identify the inserted rows. Two rows of one statement must not conflict in any unique index.
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

/** The statement for objects without alternates and metadata records, which is most of them: its start takes less time. */
const INSERT_SQL = insertSql(NOTHING_MORE);

const INSERT_MORE_SQL = insertSql(MORE);

export function insertQuery(items: readonly NewIdentifier[]): QueryConfig {
  const isAlone = items.every(({ metadataRecord, alternates }) => metadataRecord === null && alternates.length === 0);
  const [first, second] = items;
  if (isAlone && first !== undefined && second === undefined) {
    return { name: 'insert-one-identifier', text: INSERT_ONE_SQL, values: rowValues(COLUMNS, first) };
  }
  const values = [arrayOf(items.map((_, ordinal) => ordinal)), ...columnValues(COLUMNS, items)];
  // Without joins, one plan is good for any number of rows.
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
