import type pg from 'pg';

/** The unique indexes that prevent duplicates. An invalid index, for example after an interrupted CREATE INDEX, does not. */
export const REQUIRED_UNIQUE_INDEXES: readonly string[] = [
  'alternate_identifier_pkey',
  'api_key_pkey',
  'api_key_secret_hash_key',
  'change_authority_key',
  'change_identifier_key',
  'change_offset_pkey',
  'change_pkey',
  'cursor_secret_pkey',
  'handle_user_pkey',
  'identifier_guid_key',
  'identifier_local_key',
  'identifier_metadata_key',
  'identifier_pkey',
  'identifier_request_key',
  'naming_authority_pkey',
  'naming_authority_prefix_fold_key',
  'naming_authority_prefix_key',
  'position_gate_pkey',
  'request_part_pkey',
  'request_pkey',
];

export async function missingUniqueIndexes(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await on.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE pg_table_is_visible(i.indrelid) AND i.indisunique AND i.indisvalid AND i.indisready`,
  );
  const present = new Set(rows.map(({ name }) => name));
  return REQUIRED_UNIQUE_INDEXES.filter((name) => !present.has(name));
}
