import { arrayOf } from '../array-parameter.js';
import type { ImportedIdentifier } from '../../registry/imported-identifier.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import { PARAMETERS, type Parameter, alternatesOf, valuesOf } from './insert-statement.js';
import { POSITION_GATE } from '../changes/position-gate.js';

/** $19 to $32, as arrays; $1 to $18 are those of `INSERT_MANY`. */
const LIFE_PARAMETERS: readonly Parameter<ImportedIdentifier>[] = [
  ['kind', 'text', ({ kind }) => kind],
  ['patch', 'json', ({ patch }) => JSON.stringify(patch)],
  ['state', 'text', ({ state }) => state],
  ['version', 'int', ({ version }) => version],
  ['created_at', 'timestamptz', ({ createdAt }) => createdAt.toISOString()],
  ['updated_at', 'timestamptz', ({ updatedAt }) => updatedAt.toISOString()],
  ['withdrawn_at', 'timestamptz', ({ tombstone }) => tombstone?.withdrawnAt.toISOString() ?? null],
  ['withdrawal_reason', 'text', ({ tombstone }) => tombstone?.reason ?? null],
  ['replaced_by', 'text', ({ tombstone }) => tombstone?.replacedBy ?? null],
  ['handle_values', 'text', ({ handleValues }) => (handleValues === undefined ? null : JSON.stringify(handleValues))],
  ['replaces', 'text', ({ replaces }) => replaces?.text ?? null],
  ['replaces_key', 'uuid', ({ replaces }) => replaces?.key ?? null],
  ['rules', 'text', ({ authority }) => rulesOf(authority)],
  ['withdrawal_reason_code', 'text', ({ tombstone }) => tombstone?.reasonCode ?? null],
];

/** The settings by which the line was read, as `concat_ws` writes them. */
function rulesOf({ profile, caseInsensitive, handleValues, metadataIdScheme }: NamingAuthority): string {
  return [profile, ...[caseInsensitive, handleValues].map((is) => (is ? 't' : 'f')), metadataIdScheme].join(' ');
}

/** In their order, without the ordinals, which are $1. */
export const IMPORT_PARAMETERS: readonly Parameter<ImportedIdentifier>[] = [...PARAMETERS, ...LIFE_PARAMETERS];

/**
 * Inserts identifiers whose history starts with their version. Two rows must not conflict in any unique index. $33 to
 * $36: the alternates, as ordinals, keys, and the naming authorities and names that they claim. OFFSET 0 and IS TRUE: see the planner assumptions.
 */
export const IMPORT = `
  WITH ${POSITION_GATE}, input AS (
    SELECT * FROM unnest(
      $1::int[], $2::text[], $3::int[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[], $9::text[],
      $10::text[], $11::timestamptz[], $12::uuid[], $13::text[], $14::uuid[], $15::text[], $16::int[], $17::uuid[],
      $18::uuid[], $19::text[], string_to_array($20, chr(10)),
      $21::text[], $22::int[], $23::timestamptz[], $24::timestamptz[], $25::timestamptz[], $26::text[], $27::text[],
      $28::text[], $29::text[], $30::uuid[], $31::text[], $32::text[]
    ) AS w(
         ordinal, naming_authority, authority_version, guid, local_name, local_key, metadata_id, metadata_key, target,
         alternate_ids, lease_until, reservation, client, key_id, request_key, request_index, request_hash,
         own_key, kind, patch,
         state, version, created_at, updated_at, withdrawn_at, withdrawal_reason, replaced_by, handle_values, replaces, replaces_key, rules,
         withdrawal_reason_code)
  ), insertable AS (
    SELECT w.*, n.naming_authority_id FROM input w
    CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority
        AND concat_ws(' ', n.profile, n.case_insensitive, n.handle_values, n.metadata_id_scheme) = w.rules OFFSET 0
    ) n
    WHERE NOT EXISTS (SELECT FROM identifier x
                      WHERE x.metadata_key = w.metadata_key AND x.naming_authority_id = n.naming_authority_id OFFSET 0)
      AND NOT EXISTS (SELECT FROM identifier x
                      WHERE x.naming_authority_id = n.naming_authority_id AND x.guid = w.guid OFFSET 0)
      AND NOT EXISTS (SELECT FROM identifier x
                      WHERE x.local_key = w.local_key AND x.naming_authority_id = n.naming_authority_id OFFSET 0)
      AND w.ordinal NOT IN (
        SELECT a.ordinal FROM unnest($33::int[], $34::uuid[]) AS a(ordinal, key) JOIN input v USING (ordinal)
        WHERE EXISTS (SELECT FROM alternate_identifier x
                      WHERE x.key = a.key AND x.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = v.naming_authority) OFFSET 0))
      AND w.ordinal NOT IN (
        SELECT t.place FROM (
          SELECT array_agg(u.ordinal) AS places, array_agg(u.prefix) AS prefixes, array_agg(u.name) AS names, array_agg(u.claim) AS claims
          FROM (
            SELECT i.ordinal, i.prefix, coalesce(i.guid, i.local_key) AS name, false AS claim
            FROM unnest($1::int[], $2::text[], $4::uuid[], $6::uuid[], $18::uuid[]) AS i(ordinal, prefix, guid, local_key, own_key)
            WHERE i.own_key IS NOT NULL
            UNION ALL
            SELECT a.ordinal, a.prefix, a.name, true
            FROM unnest($33::int[], $35::text[], $36::uuid[]) AS a(ordinal, prefix, name) WHERE a.name IS NOT NULL
          ) u
        ) r CROSS JOIN LATERAL taken_names(r.places, r.prefixes, r.names, r.claims) AS t(place))
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, insertable.* FROM insertable
  ), imported AS (
    INSERT INTO identifier (id, naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target, alternate_ids,
                            state, lease_until, version, created_at, updated_at, withdrawn_at, withdrawal_reason_code,
                            withdrawal_reason, replaced_by, handle_values, replaces, replaces_key)
    SELECT id, naming_authority_id, guid, local_name, local_key, metadata_id, metadata_key, target,
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           state, lease_until, version, created_at, nullif(updated_at, created_at), withdrawn_at, withdrawal_reason_code,
           withdrawal_reason, replaced_by, handle_values::jsonb, replaces, replaces_key
    FROM eligible
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (
    SELECT * FROM eligible WHERE (id IN (SELECT id FROM imported)) IS TRUE
  ), alternates AS (
    INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id, claimed_authority_id, claimed_name)
    SELECT a.key, o.naming_authority_id, o.id, (SELECT n.id FROM naming_authority n WHERE n.prefix = a.prefix), a.name
    FROM unnest($33::int[], $34::uuid[], $35::text[], $36::uuid[]) AS a(ordinal, key, prefix, name) JOIN inserted o USING (ordinal)
  ), logged AS (
    INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, key_id, patch)
    SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), naming_authority_id, id, version, kind, client, key_id, patch
    FROM inserted ORDER BY ordinal
  )
  SELECT ordinal FROM inserted`;

export function importValues(items: readonly ImportedIdentifier[]): unknown[] {
  const alternates = alternatesOf(items);
  return [
    arrayOf(items.map((_, ordinal) => ordinal)),
    ...valuesOf(IMPORT_PARAMETERS, items),
    arrayOf(alternates.map(({ ordinal }) => ordinal)),
    arrayOf(alternates.map(({ key }) => key)),
    arrayOf(alternates.map(({ claim }) => claim?.namingAuthority ?? null)),
    arrayOf(alternates.map(({ claim }) => claim?.guid ?? claim?.localKey ?? null)),
  ];
}
