import { POSITION_GATE } from '../changes/position-gate.js';

/**
 * What no unique index checks is a condition: the naming authority, and that the index in the request is free (see the
 * function in the migrations); the latter is not evaluated without a key. The unique indexes decide the rest: the insert
 * names no conflict target, so an object with a conflict is not inserted. For one object with a generated name, which nothing
 * describes, replaces or claims yet: it matches no rows by their ordinals, which saves a fifth of the time of PostgreSQL.
 */
export const INSERT_ONE = {
  name: 'insert-one-identifier',
  text: `
  WITH ${POSITION_GATE}, w AS (
    SELECT $1::text AS naming_authority, $2::int AS authority_version, $3::uuid AS guid, $4::text AS local_name,
           $5::uuid AS local_key, $6::text AS metadata_id, $7::uuid AS metadata_key, $8::text AS target,
           $9::text AS alternate_ids, $10::timestamptz AS lease_until, $11::uuid AS reservation, $12::text AS client,
           $13::uuid AS key_id, $14::text AS request_key, $15::int AS request_index, $16::uuid AS request_hash
  ), minted AS (
    INSERT INTO identifier (naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
                            position, registered, is_first_event)
    SELECT naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           client, key_id, request_key, request_index, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), false, true
    FROM w
    CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority AND n.state = 'active' AND n.version = w.authority_version OFFSET 0
    ) n
    WHERE (w.request_key IS NULL OR EXISTS (
             SELECT FROM usable_request_places(ARRAY[w.client], ARRAY[w.request_key], ARRAY[w.request_index])))
    ON CONFLICT DO NOTHING
    RETURNING id, created_at
  )
  SELECT 0 AS ordinal, minted.id, minted.created_at, NULL::bigint AS metadata_record_id, '{}'::text[] AS describes,
         '{}'::text[] AS newer_versions
  FROM minted`,
};

/**
 * As `INSERT_ONE`, for a name of the request, whose key is $17, if no alternate identifier claims it. It also reads what the object describes and what replaces it,
 * so that nothing can fail between the commit and the response.
 */
export const REGISTER_ONE = {
  name: 'register-one-identifier',
  text: `
  WITH ${POSITION_GATE}, w AS (
    SELECT $1::text AS naming_authority, $2::int AS authority_version, $3::uuid AS guid, $4::text AS local_name,
           $5::uuid AS local_key, $6::text AS metadata_id, $7::uuid AS metadata_key, $8::text AS target,
           $9::text AS alternate_ids, $10::timestamptz AS lease_until, $11::uuid AS reservation, $12::text AS client,
           $13::uuid AS key_id, $14::text AS request_key, $15::int AS request_index, $16::uuid AS request_hash,
           $17::uuid AS own_key
  ), minted AS (
    INSERT INTO identifier (naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
                            position, registered, is_first_event)
    SELECT naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           CASE WHEN lease_until IS NULL THEN 'active' ELSE 'reserved' END, lease_until, reservation,
           client, key_id, request_key, request_index, request_hash,
           pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), true, true
    FROM w
    CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority AND n.state = 'active' AND n.version = w.authority_version OFFSET 0
    ) n
    WHERE (w.request_key IS NULL OR EXISTS (
             SELECT FROM usable_request_places(ARRAY[w.client], ARRAY[w.request_key], ARRAY[w.request_index])))
      AND NOT EXISTS (SELECT FROM taken_names(ARRAY[0], ARRAY[w.naming_authority], ARRAY[coalesce(w.guid, w.local_key)], ARRAY[false]))
    ON CONFLICT DO NOTHING
    RETURNING id, created_at
  )
  SELECT 0 AS ordinal, minted.id, minted.created_at, NULL::bigint AS metadata_record_id, ARRAY(
           SELECT ARRAY[(SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                          || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', ''))), d.metadata_id]
           FROM identifier d
           WHERE d.metadata_key = w.own_key AND NOT (d.state = 'reserved' AND d.lease_until <= CURRENT_TIMESTAMP)
             AND d.withdrawal_reason_code IS DISTINCT FROM 'legal'
           ORDER BY d.created_at, d.id
         ) AS describes,
         ARRAY(
           SELECT (SELECT m.prefix FROM naming_authority m WHERE m.id = d.naming_authority_id)
                    || '/' || coalesce(d.local_name, upper(replace(d.guid::text, '-', '')))
           FROM (
             SELECT e.naming_authority_id, e.local_name, e.guid, e.replaces, e.created_at, e.id FROM identifier e
             WHERE e.replaces_key = w.own_key AND e.withdrawal_reason_code IS DISTINCT FROM 'legal'
             ORDER BY e.created_at, e.id LIMIT 20
           ) d
           WHERE is_name_of(d.replaces, w.naming_authority, w.guid, w.local_name, (SELECT n.case_insensitive FROM naming_authority n WHERE n.prefix = w.naming_authority)) ORDER BY d.created_at, d.id
         ) AS newer_versions
  FROM minted, w`,
};
