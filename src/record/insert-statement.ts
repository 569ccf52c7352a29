import { describedSql } from './rows.js';
import { POSITION_SQL } from './change-log.js';
import type { NewIdentifier } from './new-identifier.js';

/** A column of the rows to insert: its name, its type, and what it takes from a new identifier. */
type Column = readonly [name: string, type: string, value: (item: NewIdentifier) => unknown];

const COLUMNS: readonly Column[] = [
  ['naming_authority', 'text', ({ authority }) => authority.prefix],
  ['authority_version', 'int', ({ authority }) => authority.version],
  ['guid', 'uuid', ({ address }) => address.guid],
  ['local_name', 'text', ({ address, localName }) => (address.guid === null ? localName : null)],
  ['local_key', 'bytea', ({ address }) => octets(address.localKey)],
  ['metadata_id', 'text', ({ metadata }) => metadata?.canonical ?? null],
  ['metadata_key', 'bytea', ({ metadata }) => octets(metadata?.key)],
  ['target', 'text', ({ target }) => target],
  [
    'alternate_ids',
    'text',
    ({ alternates }) => (alternates.length === 0 ? null : JSON.stringify(alternates.map(({ canonical }) => canonical))),
  ],
  ['lease_until', 'timestamptz', ({ leaseUntil }) => leaseUntil?.toISOString() ?? null],
  ['client', 'text', ({ actor }) => actor.client],
  ['key_id', 'text', ({ actor }) => actor.keyId],
  ['request_key', 'text', ({ request }) => request?.key ?? null],
  ['request_index', 'int', ({ request }) => request?.index ?? null],
  ['request_hash', 'bytea', ({ request }) => octets(request?.hash)],
  ['own_key', 'bytea', ({ ownKey }) => octets(ownKey)],
  ['kind', 'text', ({ kind }) => kind],
  ['patch', 'text', ({ patch }) => JSON.stringify(patch)],
];

const PAIR_COLUMNS: readonly Column[] = [
  ['guid', 'uuid', ({ metadataRecord }) => metadataRecord?.address.guid ?? null],
  [
    'local_name',
    'text',
    ({ metadataRecord }) => (metadataRecord?.address.guid === null ? metadataRecord.localName : null),
  ],
  ['local_key', 'bytea', ({ metadataRecord }) => octets(metadataRecord?.address.localKey)],
  ['patch', 'text', ({ metadataRecord }) => JSON.stringify(metadataRecord?.patch)],
];

/** `unnest($from::int[], …) AS alias(place, …)`: rows from one array a column. */
function rowsOf(alias: string, from: number, columns: readonly (readonly [string, string, ...unknown[]])[]): string {
  const all = [['place', 'int'] as const, ...columns];
  const arrays = all.map(([, type], index) => `$${from + index}::${type}[]`).join(', ');
  return `unnest(${arrays}) AS ${alias}(${all.map(([name]) => name).join(', ')})`;
}

const PAIRS_FROM = COLUMNS.length + 2;
const ALTERNATES_FROM = PAIRS_FROM + PAIR_COLUMNS.length + 1;
const ALTERNATES = rowsOf('a', ALTERNATES_FROM, [['key', 'bytea']]);

/** The local name of a row as one comparable value, whichever column has it. */
const LOCAL = (row: string): string => `coalesce(${row}.local_key, uuid_send(${row}.guid))`;

/**
 * One statement, committed by itself or in a transaction of its caller.
 *
 * `eligible` leaves out what is known already, so that a repeat costs a look and writes nothing. What slips in between is
 * for the unique indexes to decide: no conflict target is named for the object, so every index counts and its row is left
 * out; a metadata record and alternates are inserted after their object, and a conflict of theirs fails the whole
 * statement, so that no half of anything can exist. What the object describes is read in the same statement: once it
 * is committed, nothing that could fail stands between the client and the answer.
 *
 * Two rows of one statement must not meet each other in any unique index.
 */
export const INSERT_SQL = `
  WITH wanted AS (SELECT * FROM ${rowsOf('w', 1, COLUMNS)}),
  eligible AS MATERIALIZED (
    SELECT w.* FROM wanted w
    JOIN naming_authority n ON n.prefix = w.naming_authority AND n.status = 'active' AND n.version = w.authority_version
    WHERE NOT EXISTS (SELECT FROM identifier x WHERE x.metadata_key = w.metadata_key AND x.naming_authority = w.naming_authority)
      AND NOT EXISTS (SELECT FROM identifier x WHERE x.naming_authority = w.naming_authority AND x.guid = w.guid)
      AND NOT EXISTS (SELECT FROM identifier x WHERE x.client = w.client AND x.request_key = w.request_key AND x.request_index = w.request_index)
      AND NOT EXISTS (SELECT FROM request x WHERE x.client = w.client AND x.key = w.request_key)
      AND NOT EXISTS (
        SELECT FROM ${ALTERNATES} JOIN alternate_identifier x ON x.key = a.key
        WHERE a.place = w.place AND x.naming_authority = w.naming_authority)
  ), minted AS (
    INSERT INTO identifier (naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, client, request_key, request_index, request_hash)
    SELECT naming_authority, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NULL THEN '{}' ELSE ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until,
           CASE WHEN request_key IS NOT NULL THEN client END, request_key, request_index, request_hash
    FROM eligible ORDER BY place
    ON CONFLICT DO NOTHING
    RETURNING id, naming_authority, guid, local_key, created_at
  ), placed AS MATERIALIZED (
    SELECT m.id, m.created_at, w.* FROM minted m
    JOIN eligible w ON w.naming_authority = m.naming_authority AND ${LOCAL('w')} = ${LOCAL('m')}
  ), paired AS (
    INSERT INTO identifier (naming_authority, guid, local_name, local_key, state, lease_until, client, request_key, request_index, request_hash)
    SELECT o.naming_authority, p.guid, p.local_name, p.local_key,
           CASE WHEN o.lease_until IS NULL THEN 'active' ELSE 'reserved' END, o.lease_until,
           CASE WHEN o.request_key IS NOT NULL THEN o.client END, o.request_key, o.request_index + 1, o.request_hash
    FROM ${rowsOf('p', PAIRS_FROM, PAIR_COLUMNS)} JOIN placed o USING (place)
    RETURNING id, naming_authority, guid, local_key
  ), placed_pairs AS MATERIALIZED (
    SELECT m.id, p.place, p.patch FROM paired m
    JOIN ${rowsOf('p', PAIRS_FROM, PAIR_COLUMNS)} ON ${LOCAL('p')} = ${LOCAL('m')}
  ), kept_alternates AS (
    INSERT INTO alternate_identifier (key, naming_authority, identifier_id)
    SELECT a.key, o.naming_authority, o.id FROM ${ALTERNATES} JOIN placed o USING (place)
  ), remembered AS (
    INSERT INTO change (position, naming_authority, identifier_id, version, kind, client, key_id, patch)
    SELECT ${POSITION_SQL}, naming_authority, id, 1, kind, client, key_id, patch FROM (
      SELECT o.naming_authority, o.id, o.kind, o.client, o.key_id, o.patch, o.place, 0 AS half FROM placed o
      UNION ALL
      SELECT o.naming_authority, p.id, o.kind, o.client, o.key_id, p.patch, o.place, 1 FROM placed_pairs p JOIN placed o USING (place)
    ) rows ORDER BY place, half
  )
  SELECT o.place, o.id, o.created_at AS "createdAt", p.id AS "metadataRecordId", ${describedSql('o.own_key')} AS describes
  FROM placed o LEFT JOIN placed_pairs p USING (place)`;

/** The parameters of the statement. */
export function insertValues(items: readonly NewIdentifier[]): unknown[] {
  const paired = items.flatMap((item, place) => (item.metadataRecord === null ? [] : [{ item, place }]));
  const alternates = items.flatMap((item, place) => item.alternates.map(({ key }) => ({ place, key })));
  return [
    items.map((_, place) => place),
    ...COLUMNS.map(([, , value]) => items.map(value)),
    paired.map(({ place }) => place),
    ...PAIR_COLUMNS.map(([, , value]) => paired.map(({ item }) => value(item))),
    alternates.map(({ place }) => place),
    alternates.map(({ key }) => octets(key)),
  ];
}

function octets(bytes: Uint8Array | null | undefined): Buffer | null {
  return bytes === null || bytes === undefined ? null : Buffer.from(bytes);
}
