import { TEXTS } from '../../registry/members.js';
import type { QueryConfig } from 'pg';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { POSITION_GATE } from '../changes/position-offset.js';
import type { Row } from '../columns.js';
import { prepared } from '../statement.js';
import type { NamedBy } from './identifier-row.js';
import {
  ALTERNATE_PARAMETERS,
  IDENTIFIER_PARAMETERS,
  ORDINAL,
  type Parameter,
  RARE_PARAMETERS,
  alternatesOf,
  numbered,
  valuesOf,
} from './insert-parameters.js';

type Numbered = ReturnType<typeof numbered>;

const TEXT_COLUMNS = TEXTS.map(({ columns: [column] }) => column).join(', ');

/** Columns of a minted identifier; `valuesWith` has their values. `ACTIVE_AUTHORITY` selects the naming authority. */
const COLUMNS = `naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, ${TEXT_COLUMNS}, alternate_ids,
                            state, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
                            position, registered, is_first_event`;
const valuesWith = (
  isRegistered: string,
): string => `naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, ${TEXT_COLUMNS},
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           client, key_id, request_key, request_index, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), ${isRegistered}, true`;

const ACTIVE_AUTHORITY = `CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority AND n.state = 'active' AND n.version = w.authority_version OFFSET 0
    ) n`;

/** The objects that the identifier of a row describes. The insert selects them, so that no read can fail after the commit. */
const describes = (row: string): string => `ARRAY(
           SELECT ARRAY[(SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                          || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.metadata_id]
           FROM identifier d
           WHERE d.metadata_key = ${row}.own_key AND NOT (d.state = 'reserved' AND d.lease_until <= CURRENT_TIMESTAMP)
             AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
           ORDER BY d.created_at, d.id
         ) AS describes`;
const newerVersions = (row: string): string => `ARRAY(
             SELECT ARRAY[(SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                            || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.previous_version]
             FROM identifier d
             WHERE d.previous_version_key = ${row}.own_key AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
             ORDER BY d.created_at, d.id LIMIT 20
           )`;

/**
 * The conditions check what unique indexes do not: that the naming authority is active and unchanged, and, with a key, that the index in
 * the request is free (see `usable_request_places` in the migrations). Unique indexes check the rest: ON CONFLICT has no target, so an
 * object with any conflict is not inserted. A single row is not matched by ordinal, which saves a fifth of the time of PostgreSQL.
 * @param isNamed true for a name from the request, which no alternate identifier may claim; false for a generated name, which nothing can
 * describe, replace or claim yet.
 */
function insertOne(isNamed: boolean): { name: string; text: string; parameters: readonly Parameter[] } {
  const parameters = isNamed ? IDENTIFIER_PARAMETERS : IDENTIFIER_PARAMETERS.slice(0, -1);
  const one = numbered(parameters, false);
  const text = `
  WITH ${POSITION_GATE}, w AS (
    SELECT ${parameters.map(([name]) => `${one(name)} AS ${name}`).join(', ')}
  ), minted AS (
    INSERT INTO identifier (${COLUMNS})
    SELECT ${valuesWith(String(isNamed))}
    FROM w ${ACTIVE_AUTHORITY}
    WHERE (w.request_key IS NULL OR EXISTS (
             SELECT FROM usable_request_places(ARRAY[w.client], ARRAY[w.request_key], ARRAY[w.request_index])))
      ${isNamed ? 'AND NOT EXISTS (SELECT FROM taken_names(ARRAY[0], ARRAY[w.naming_authority], ARRAY[coalesce(w.guid, w.local_key)], ARRAY[false]))' : ''}
    ON CONFLICT DO NOTHING
    RETURNING id, created_at
  )
  SELECT 0 AS ordinal, minted.id, minted.created_at, NULL::bigint AS metadata_record_id,
         ${isNamed ? `${describes('w')}, ${newerVersions('w')}` : "'{}'::text[] AS describes, '{}'::text[]"} AS newer_versions
  FROM minted${isNamed ? ', w' : ''}`;
  return { name: isNamed ? 'register-one-identifier' : 'insert-one-identifier', text, parameters };
}

/** The rows of a statement as `w`, with the names of the parameters as columns. */
export function inputOf($: Numbered, parameters: readonly Parameter<never>[]): string {
  const names = parameters.map(([name]) => name);
  return `SELECT * FROM unnest(${names.map($).join(', ')}) AS w(${names.join(', ')})`;
}

/** SQL: whether no other identifier has an alternate of a row. */
export const haveFreeAlternates = ($: Numbered): string => `w.ordinal NOT IN (
        SELECT a.ordinal FROM unnest(${$('alternate_ordinal')}, ${$('alternate_key')}) AS a(ordinal, key) JOIN input v USING (ordinal)
        WHERE EXISTS (SELECT FROM alternate_identifier x
                      WHERE x.key = a.key AND x.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = v.naming_authority) OFFSET 0))`;

/** Whether the name of a row and the names that it claims are free. @param withClaims for rows with alternates. */
export const haveFreeNames = ($: Numbered, withClaims: boolean): string => `w.ordinal NOT IN (
        SELECT t.place FROM (
          SELECT array_agg(u.ordinal) AS places, array_agg(u.prefix) AS prefixes, array_agg(u.name) AS names, array_agg(u.claim) AS claims
          FROM (
            SELECT i.ordinal, i.prefix, coalesce(i.guid, i.local_key) AS name, false AS claim
            FROM unnest(${['ordinal', 'naming_authority', 'guid', 'local_key', 'own_key'].map($).join(', ')}) AS i(ordinal, prefix, guid, local_key, own_key)
            WHERE i.own_key IS NOT NULL${
              withClaims
                ? `
            UNION ALL
            SELECT a.ordinal, a.prefix, a.name, true
            FROM unnest(${['alternate_ordinal', 'claim_prefix', 'claim_name'].map($).join(', ')}) AS a(ordinal, prefix, name) WHERE a.name IS NOT NULL`
                : ''
            }
          ) u
        ) r CROSS JOIN LATERAL taken_names(r.places, r.prefixes, r.names, r.claims) AS t(place))`;

/** Stores alternates. A claim that was read under another profile than the present one violates a constraint: see `isOutdatedClaim`. */
export const insertAlternates = ($: Numbered): string => `
    INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id, claimed_authority_id, claimed_name)
    SELECT a.key, o.naming_authority_id, o.id, (SELECT n.id FROM naming_authority n WHERE n.prefix = a.prefix AND n.profile = a.profile), a.name
    FROM unnest(${ALTERNATE_PARAMETERS.map(([name]) => $(name)).join(', ')}) AS a(ordinal, key, prefix, name, profile)
    JOIN inserted o USING (ordinal)`;

const MANY_PARAMETERS = [ORDINAL, ...IDENTIFIER_PARAMETERS];

/** `INSERT_MANY` uses only `MANY_PARAMETERS`, which come first. */
const $ = numbered([...MANY_PARAMETERS, ...RARE_PARAMETERS, ...ALTERNATE_PARAMETERS]);

/**
 * Like `insertOne`, for many objects. IDs are assigned before the insert, to identify the inserted rows. Rows are inserted in the order of
 * their metadata keys, so that two transactions do not wait for each other. Two rows of one statement must not conflict in any unique
 * index. For OFFSET 0, see "Planner assumptions" in architecture.md. IS TRUE makes conditions filters with hashed subplans, never joins.
 * @param withMore for metadata records, alternates, Handle values and previous versions; a conflict of a metadata record or an alternate
 * makes the statement fail. If false, the statement joins only naming authorities, so one plan suits any number of rows.
 */
function insertMany(withMore: boolean): string {
  const more = (text: string): string => (withMore ? text : '');
  return `
  WITH ${POSITION_GATE}, input AS (
    ${inputOf($, withMore ? [...MANY_PARAMETERS, ...RARE_PARAMETERS] : MANY_PARAMETERS)}
  ), insertable AS (
    SELECT w.*, n.naming_authority_id${more(', coalesce(w.record_guid, w.record_key) IS NOT NULL AS has_record')}
    FROM input w
    ${ACTIVE_AUTHORITY}
    WHERE (w.request_key IS NULL OR w.ordinal + 1 IN (
             SELECT usable_request_places(${['client', 'request_key', 'request_index'].map($).join(', ')})))
      ${more(`AND ${haveFreeAlternates($)}`)}
      AND (${more('(')}w.own_key IS NULL${more(` AND ${$('claim_name')} IS NULL)`)} OR ${haveFreeNames($, withMore)})
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, ${more("CASE WHEN has_record THEN nextval('identifier_id_seq') END AS record_id, ")}insertable.*
    FROM insertable
  ), minted AS (
    INSERT INTO identifier (id, ${COLUMNS}${more(', handle_values, previous_version, previous_version_key, metadata_record_id')})
    SELECT id, ${valuesWith('own_key IS NOT NULL')}${more(', handle_values::jsonb, previous_version, previous_version_key, record_id')}
    FROM eligible ORDER BY metadata_key
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (
    SELECT *, CURRENT_TIMESTAMP::timestamptz(3) AS created_at FROM eligible WHERE (id IN (SELECT id FROM minted)) IS TRUE
  )${more(`, paired AS (
    INSERT INTO identifier (id, naming_authority_id, guid, local_name, local_key, target, state, lease_until, client, key_id, request_key,
                            request_index, request_hash, position, is_first_event)
    SELECT record_id, naming_authority_id, record_guid, record_name, record_key, record_target,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until,
           client, key_id, request_key, request_index + 1, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), true
    FROM inserted WHERE has_record
  ), alternates AS (${insertAlternates($)}
  )`)}
  SELECT o.ordinal, o.id, o.created_at, ${withMore ? 'o.record_id' : 'NULL::bigint'} AS metadata_record_id, ${describes('o')},
         CASE WHEN o.own_key IS NOT NULL THEN ${newerVersions('o')} ELSE '{}' END AS newer_versions
  FROM inserted o`;
}

export const INSERT_ONE = insertOne(false);
export const REGISTER_ONE = insertOne(true);
export const INSERT_MANY = insertMany(false);
export const INSERT_WITH_MORE = insertMany(true);

export type InsertedRow = Pick<Row<'identifier'>, 'id' | 'created_at'> & {
  readonly ordinal: number;
  readonly metadata_record_id: string | null;
  readonly describes: NamedBy;
  readonly newer_versions: NamedBy;
};

export function insertQuery(items: readonly NewIdentifier[]): QueryConfig {
  const isAlone = items.every(
    ({ metadataRecord, alternates, handleValues, previousVersion }) =>
      metadataRecord === null && alternates.length === 0 && handleValues === undefined && previousVersion === undefined,
  );
  const [first, second] = items;
  if (isAlone && first !== undefined && second === undefined) {
    const { name, text, parameters } = first.selfKey === null ? INSERT_ONE : REGISTER_ONE;
    return { name, text, values: parameters.map(([, , value]) => value(first)) };
  }
  const ordinals = items.map((_, ordinal) => ({ ordinal }));
  const values = [...valuesOf([ORDINAL], ordinals), ...valuesOf(IDENTIFIER_PARAMETERS, items)];
  if (isAlone) return { name: 'insert-identifiers', text: INSERT_MANY, values };
  values.push(...valuesOf(RARE_PARAMETERS, items), ...valuesOf(ALTERNATE_PARAMETERS, alternatesOf(items)));
  return prepared('insert-with-more', INSERT_WITH_MORE, values, items.length);
}
