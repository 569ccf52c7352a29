import { TEXTS } from '../../registry/members.js';
import type { ImportedIdentifier } from '../../registry/new-identifier.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import { POSITION_GATE } from '../changes/position-offset.js';
import {
  ALTERNATE_PARAMETERS,
  IDENTIFIER_PARAMETERS,
  ORDINAL,
  type Parameter,
  alternatesOf,
  numbered,
  valuesOf,
} from './insert-parameters.js';
import { haveFreeAlternates, haveFreeNames, inputOf, insertAlternates } from './insert-statement.js';

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
  ['previous_version', 'text', ({ previousVersion }) => previousVersion?.canonical ?? null],
  ['previous_version_key', 'uuid', ({ previousVersion }) => previousVersion?.key ?? null],
  ['rules', 'text', ({ authority }) => rulesOf(authority)],
  ['withdrawal_reason_code', 'text', ({ tombstone }) => tombstone?.reasonCode ?? null],
];

/** The settings under which the line was read, formatted like `concat_ws`. */
function rulesOf({ profile, caseInsensitive, storesHandleValues, metadataIdScheme }: NamingAuthority): string {
  return [profile, ...[caseInsensitive, storesHandleValues].map((is) => (is ? 't' : 'f')), metadataIdScheme].join(' ');
}

const PARAMETERS: readonly Parameter<ImportedIdentifier>[] = [...IDENTIFIER_PARAMETERS, ...LIFE_PARAMETERS];

const $ = numbered([ORDINAL, ...PARAMETERS, ...ALTERNATE_PARAMETERS]);

const COLUMNS = `local_name, local_key, metadata_id, metadata_key, ${TEXTS.map(({ columns: [column] }) => column).join(', ')},
      state, lease_until, version, created_at, withdrawn_at, withdrawal_reason_code, withdrawal_reason, replaced_by,
      previous_version, previous_version_key`;

/** Inserts identifiers, no two of which may conflict. For OFFSET 0 and IS TRUE, see `insertMany`. */
export const IMPORT = `
  WITH ${POSITION_GATE}, input AS (
    ${inputOf($, [ORDINAL, ...PARAMETERS])}
  ), insertable AS (
    SELECT w.*, n.naming_authority_id FROM input w
    CROSS JOIN LATERAL (
      SELECT n.id AS naming_authority_id FROM naming_authority n
      WHERE n.prefix = w.naming_authority
        AND concat_ws(' ', n.profile, n.case_insensitive, n.stores_handle_values, n.metadata_id_scheme) = w.rules OFFSET 0
    ) n
    WHERE NOT EXISTS (SELECT FROM identifier x
                      WHERE x.metadata_key = w.metadata_key AND x.naming_authority_id = n.naming_authority_id OFFSET 0)
      AND NOT EXISTS (SELECT FROM identifier x
                      WHERE x.naming_authority_id = n.naming_authority_id AND x.guid = w.guid OFFSET 0)
      AND NOT EXISTS (SELECT FROM identifier x
                      WHERE x.local_key = w.local_key AND x.naming_authority_id = n.naming_authority_id OFFSET 0)
      AND ${haveFreeAlternates($)}
      AND ${haveFreeNames($, true)}
    ORDER BY w.ordinal
  ), eligible AS MATERIALIZED (
    SELECT nextval('identifier_id_seq') AS id, insertable.* FROM insertable
  ), imported AS (
    INSERT INTO identifier (id, naming_authority_id, guid, ${COLUMNS}, alternate_ids, updated_at, handle_values)
    SELECT id, naming_authority_id, guid, ${COLUMNS},
           CASE WHEN alternate_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(alternate_ids::json)) END,
           nullif(updated_at, created_at), handle_values::jsonb
    FROM eligible ORDER BY metadata_key
    ON CONFLICT DO NOTHING
    RETURNING id
  ), inserted AS MATERIALIZED (
    SELECT * FROM eligible WHERE (id IN (SELECT id FROM imported)) IS TRUE
  ), alternates AS (${insertAlternates($)}
  ), logged AS (
    INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, key_id, patch)
    SELECT pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), naming_authority_id, id, version, kind, client, key_id, patch
    FROM inserted ORDER BY ordinal
  )
  SELECT ordinal FROM inserted`;

export function importValues(items: readonly ImportedIdentifier[]): (string | null)[] {
  return [
    ...valuesOf(
      [ORDINAL],
      items.map((_, ordinal) => ({ ordinal })),
    ),
    ...valuesOf(PARAMETERS, items),
    ...valuesOf(ALTERNATE_PARAMETERS, alternatesOf(items)),
  ];
}
