import type { QueryConfig } from 'pg';
import type { Digest } from '../../registry/digest.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { arrayOf, linesOf } from '../array-parameter.js';
import type { Row } from '../columns.js';
import { prepared } from '../prepared.js';
import type { Describes } from './identifier-row.js';
import { INSERT_ONE, REGISTER_ONE } from './insert-one-statements.js';
import { POSITION_GATE } from '../changes/position-gate.js';

/** A parameter of a statement: the name of its column in `w`, its type, and its value for an item. */
export type Parameter<T = NewIdentifier> = readonly [
  name: string,
  type: string,
  value: (item: T) => string | number | null,
];

/**
 * In their order: $1 to $17 of `REGISTER_ONE`, $1 to $16 of `INSERT_ONE`, and as arrays $2 to $18 of the others, whose $1 is
 * the ordinals.
 */
export const PARAMETERS: readonly Parameter[] = [
  ['naming_authority', 'text', ({ authority }) => authority.prefix],
  ['authority_version', 'int', ({ authority }) => authority.version],
  ['guid', 'uuid', ({ address }) => address.guid],
  ['local_name', 'text', ({ address, localName }) => (address.guid === null ? localName : null)],
  ['local_key', 'uuid', ({ address }) => address.localKey],
  ['metadata_id', 'text', ({ metadata }) => metadata?.canonical ?? null],
  ['metadata_key', 'uuid', ({ metadata }) => metadata?.key ?? null],
  ['target', 'text', ({ target }) => target],
  [
    'alternate_ids',
    'text',
    ({ alternates }) => (alternates.length === 0 ? null : JSON.stringify(alternates.map(({ canonical }) => canonical))),
  ],
  ['lease_until', 'timestamptz', ({ leaseUntil }) => leaseUntil?.toISOString() ?? null],
  ['reservation', 'uuid', ({ reservation }) => reservation ?? null],
  ['client', 'text', ({ actor }) => actor.client],
  ['key_id', 'uuid', ({ actor }) => actor.keyId],
  ['request_key', 'text', ({ request }) => request?.key ?? null],
  ['request_index', 'int', ({ request }) => request?.index ?? null],
  ['request_hash', 'uuid', ({ request }) => request?.fingerprint ?? null],
  ['own_key', 'uuid', ({ selfKey }) => selfKey],
];

/**
 * As `REGISTER_ONE`, for many objects. IDs are assigned before the insert, to identify the inserted rows. Two rows of one
 * statement must not conflict in any unique index.
 */
export const INSERT_MANY = `
  WITH ${POSITION_GATE}, input AS (
    SELECT * FROM unnest(
      $1::int[], $2::text[], $3::int[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[], $9::text[],
      $10::text[], $11::timestamptz[], $12::uuid[], $13::text[], $14::uuid[], $15::text[], $16::int[], $17::uuid[],
      $18::uuid[]
    ) AS w(
         ordinal, naming_authority, authority_version, guid, local_name, local_key, metadata_id, metadata_key, target,
         alternate_ids, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
         own_key)
  ), insertable AS (
    SELECT w.*, n.naming_authority_id FROM input w
    CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority AND n.state = 'active' AND n.version = w.authority_version OFFSET 0
    ) n
    WHERE (w.request_key IS NULL OR w.ordinal + 1 IN (SELECT usable_request_places($13::text[], $15::text[], $16::int[])))
      AND (w.own_key IS NULL OR w.ordinal NOT IN (
        SELECT t.place FROM (
          SELECT array_agg(u.ordinal) AS places, array_agg(u.prefix) AS prefixes, array_agg(coalesce(u.guid, u.local_key)) AS names,
                 array_agg(false) AS claims
          FROM unnest($1::int[], $2::text[], $4::uuid[], $6::uuid[], $18::uuid[]) AS u(ordinal, prefix, guid, local_key, own_key)
          WHERE u.own_key IS NOT NULL
        ) r CROSS JOIN LATERAL taken_names(r.places, r.prefixes, r.names, r.claims) AS t(place)))
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, insertable.* FROM insertable
  ), minted AS (
    INSERT INTO identifier (id, naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
                            position, registered, is_first_event)
    SELECT id, naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           client, key_id, request_key, request_index, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), own_key IS NOT NULL, true
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (
    SELECT *, CURRENT_TIMESTAMP::timestamptz(3) AS created_at FROM eligible WHERE (id IN (SELECT id FROM minted)) IS TRUE
  )
  SELECT o.ordinal, o.id, o.created_at, NULL::bigint AS metadata_record_id, ARRAY(
           SELECT ARRAY[(SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                          || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.metadata_id]
           FROM identifier d
           WHERE d.metadata_key = o.own_key AND NOT (d.state = 'reserved' AND d.lease_until <= CURRENT_TIMESTAMP)
             AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
           ORDER BY d.created_at, d.id
         ) AS describes,
         CASE WHEN o.own_key IS NOT NULL THEN ARRAY(
             SELECT (SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                      || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', '')))
             FROM (
               SELECT e.naming_authority_id, e.local_name, e.guid, e.replaces, e.created_at, e.id FROM identifier e
               WHERE e.replaces_key = o.own_key AND e.withdrawal_reason_code IS DISTINCT FROM 'legal'
               ORDER BY e.created_at, e.id LIMIT 20
             ) d
             WHERE is_name_of(d.replaces, o.naming_authority, o.guid, o.local_name, (SELECT n.case_insensitive FROM naming_authority n WHERE n.prefix = o.naming_authority)) ORDER BY d.created_at, d.id
           ) ELSE '{}' END AS newer_versions
  FROM inserted o`;

/** $19 to $23, as arrays: the metadata records, with the ordinals of their objects as $19. */
const METADATA_RECORD_PARAMETERS: readonly Parameter[] = [
  ['guid', 'uuid', ({ metadataRecord }) => metadataRecord?.address.guid ?? null],
  [
    'local_name',
    'text',
    ({ metadataRecord }) => (metadataRecord?.address.guid === null ? metadataRecord.localName : null),
  ],
  ['local_key', 'uuid', ({ metadataRecord }) => metadataRecord?.address.localKey ?? null],
  ['target', 'text', ({ metadataRecord }) => metadataRecord?.target ?? null],
];

/**
 * As `INSERT_MANY`, with metadata records, alternates ($24 their ordinals, $25 their keys, $31 and $32 the naming authorities and the
 * names that they claim), Handle values ($26, $27) and previous versions ($28 ordinals, $29 texts, $30 keys). A conflict of a metadata
 * record or an alternate fails the whole statement. OFFSET 0 and IS TRUE: see the planner assumptions.
 */
export const INSERT_WITH_MORE = `
  WITH ${POSITION_GATE}, input AS (
    SELECT * FROM unnest(
      $1::int[], $2::text[], $3::int[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[], $9::text[],
      $10::text[], $11::timestamptz[], $12::uuid[], $13::text[], $14::uuid[], $15::text[], $16::int[], $17::uuid[],
      $18::uuid[]
    ) AS w(
         ordinal, naming_authority, authority_version, guid, local_name, local_key, metadata_id, metadata_key, target,
         alternate_ids, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
         own_key)
  ), insertable AS (
    SELECT w.*, n.naming_authority_id, r.ordinal IS NOT NULL AS has_record, r.guid AS record_guid, r.local_name AS record_name, r.local_key AS record_key, r.target AS record_target,
           v.handle_values, p.replaces, p.replaces_key
    FROM input w
    LEFT JOIN unnest($19::int[], $20::uuid[], $21::text[], $22::uuid[], $23::text[]) AS r(ordinal, guid, local_name, local_key, target) USING (ordinal)
    LEFT JOIN unnest($26::int[], string_to_array($27, chr(10))) AS v(ordinal, handle_values) USING (ordinal)
    LEFT JOIN unnest($28::int[], $29::text[], $30::uuid[]) AS p(ordinal, replaces, replaces_key) USING (ordinal)
    CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority AND n.state = 'active' AND n.version = w.authority_version OFFSET 0
    ) n
    WHERE (w.request_key IS NULL OR w.ordinal + 1 IN (SELECT usable_request_places($13::text[], $15::text[], $16::int[])))
      AND w.ordinal NOT IN (
        SELECT a.ordinal FROM unnest($24::int[], $25::uuid[]) AS a(ordinal, key) JOIN input v USING (ordinal)
        WHERE EXISTS (SELECT FROM alternate_identifier x
                      WHERE x.key = a.key AND x.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = v.naming_authority) OFFSET 0))
      AND ((w.own_key IS NULL AND $32::uuid[] IS NULL) OR w.ordinal NOT IN (
        SELECT t.place FROM (
          SELECT array_agg(u.ordinal) AS places, array_agg(u.prefix) AS prefixes, array_agg(u.name) AS names, array_agg(u.claim) AS claims
          FROM (
            SELECT i.ordinal, i.prefix, coalesce(i.guid, i.local_key) AS name, false AS claim
            FROM unnest($1::int[], $2::text[], $4::uuid[], $6::uuid[], $18::uuid[]) AS i(ordinal, prefix, guid, local_key, own_key)
            WHERE i.own_key IS NOT NULL
            UNION ALL
            SELECT a.ordinal, a.prefix, a.name, true
            FROM unnest($24::int[], $31::text[], $32::uuid[]) AS a(ordinal, prefix, name) WHERE a.name IS NOT NULL
          ) u
        ) r CROSS JOIN LATERAL taken_names(r.places, r.prefixes, r.names, r.claims) AS t(place)))
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, CASE WHEN has_record THEN nextval('identifier_id_seq') END AS record_id, insertable.*
    FROM insertable
  ), minted AS (
    INSERT INTO identifier (id, naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
                            position, registered, is_first_event, handle_values, replaces, replaces_key, metadata_record_id)
    SELECT id, naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           client, key_id, request_key, request_index, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), own_key IS NOT NULL, true, handle_values::jsonb,
           replaces, replaces_key, record_id
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (
    SELECT *, CURRENT_TIMESTAMP::timestamptz(3) AS created_at FROM eligible WHERE (id IN (SELECT id FROM minted)) IS TRUE
  ), paired AS (
    INSERT INTO identifier (id, naming_authority_id, guid, local_name, local_key, target, state, lease_until, client, key_id, request_key,
                            request_index, request_hash, position, is_first_event)
    SELECT record_id, naming_authority_id, record_guid, record_name, record_key, record_target,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until,
           client, key_id, request_key, request_index + 1, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), true
    FROM inserted WHERE has_record
  ), alternates AS (
    INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id, claimed_authority_id, claimed_name)
    SELECT a.key, o.naming_authority_id, o.id, (SELECT n.id FROM naming_authority n WHERE n.prefix = a.prefix), a.name
    FROM unnest($24::int[], $25::uuid[], $31::text[], $32::uuid[]) AS a(ordinal, key, prefix, name) JOIN inserted o USING (ordinal)
  )
  SELECT o.ordinal, o.id, o.created_at, o.record_id AS metadata_record_id, ARRAY(
           SELECT ARRAY[(SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                          || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.metadata_id]
           FROM identifier d
           WHERE d.metadata_key = o.own_key AND NOT (d.state = 'reserved' AND d.lease_until <= CURRENT_TIMESTAMP)
             AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
           ORDER BY d.created_at, d.id
         ) AS describes,
         CASE WHEN o.own_key IS NOT NULL THEN ARRAY(
             SELECT (SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                      || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', '')))
             FROM (
               SELECT e.naming_authority_id, e.local_name, e.guid, e.replaces, e.created_at, e.id FROM identifier e
               WHERE e.replaces_key = o.own_key AND e.withdrawal_reason_code IS DISTINCT FROM 'legal'
               ORDER BY e.created_at, e.id LIMIT 20
             ) d
             WHERE is_name_of(d.replaces, o.naming_authority, o.guid, o.local_name, (SELECT n.case_insensitive FROM naming_authority n WHERE n.prefix = o.naming_authority)) ORDER BY d.created_at, d.id
           ) ELSE '{}' END AS newer_versions
  FROM inserted o`;

/** A row that these statements return. */
export type InsertedRow = Pick<Row<'identifier'>, 'id' | 'created_at'> & {
  readonly ordinal: number;
  readonly metadata_record_id: string | null;
  readonly describes: Describes;
  readonly newer_versions: readonly string[];
};

export function insertQuery(items: readonly NewIdentifier[]): QueryConfig {
  const isAlone = items.every(
    ({ metadataRecord, alternates, handleValues, replaces }) =>
      metadataRecord === null && alternates.length === 0 && handleValues === undefined && replaces === undefined,
  );
  const [first, second] = items;
  if (isAlone && first !== undefined && second === undefined) {
    if (first.selfKey !== null) return { ...REGISTER_ONE, values: valuesOfOne(PARAMETERS, first) };
    return { ...INSERT_ONE, values: valuesOfOne(PARAMETERS.slice(0, -1), first) };
  }
  const values = [arrayOf(items.map((_, ordinal) => ordinal)), ...valuesOf(PARAMETERS, items)];
  // Without joins, one plan is good for any number of rows.
  if (isAlone) return { name: 'insert-identifiers', text: INSERT_MANY, values };
  return prepared('insert-with-more', INSERT_WITH_MORE, [...values, ...moreValues(items)], items.length);
}

function moreValues(items: readonly NewIdentifier[]): unknown[] {
  const paired = items.flatMap((item, ordinal) => (item.metadataRecord === null ? [] : [{ item, ordinal }]));
  const alternates = alternatesOf(items);
  const valued = items.flatMap(({ handleValues }, ordinal) =>
    handleValues === undefined ? [] : [{ ordinal, values: JSON.stringify(handleValues) }],
  );
  const versions = items.flatMap(({ replaces }, ordinal) => (replaces === undefined ? [] : [{ ordinal, replaces }]));
  return [
    arrayOf(paired.map(({ ordinal }) => ordinal)),
    ...valuesOf(
      METADATA_RECORD_PARAMETERS,
      paired.map(({ item }) => item),
    ),
    arrayOf(alternates.map(({ ordinal }) => ordinal)),
    arrayOf(alternates.map(({ key }) => key)),
    arrayOf(valued.map(({ ordinal }) => ordinal)),
    linesOf(valued.map(({ values }) => values)),
    arrayOf(versions.map(({ ordinal }) => ordinal)),
    arrayOf(versions.map(({ replaces }) => replaces.text)),
    arrayOf(versions.map(({ replaces }) => replaces.key)),
    arrayOf(alternates.map(({ claim }) => claim?.namingAuthority ?? null)),
    arrayOf(alternates.map(({ claim }) => claim?.guid ?? claim?.localKey ?? null)),
  ];
}

/** The alternates of items, each with the ordinal of its item and the address that it claims. */
export function alternatesOf(
  items: readonly NewIdentifier[],
): { readonly ordinal: number; readonly key: Digest; readonly claim: Address | null }[] {
  return items.flatMap((item, ordinal) =>
    item.alternates.map(({ key, here }) => ({ ordinal, key, claim: here?.address ?? null })),
  );
}

/** One array for each parameter, with the values of all items. */
export function valuesOf<T>(parameters: readonly Parameter<T>[], items: readonly T[]): (string | null)[] {
  return parameters.map(([, type, value]) => {
    const values = items.map(value);
    return type === 'json' ? linesOf(values as string[]) : arrayOf(values);
  });
}

function valuesOfOne<T>(parameters: readonly Parameter<T>[], item: T): (string | number | null)[] {
  return parameters.map(([, , value]) => value(item));
}
