/**
 * The SQL that writes rows without the service: for pgbench, for the baseline fastify-pg, and for the data of the look-ups. When a
 * migration changes the columns of a mint, change `insertRows`, `seed`, and `baselines/prisma-baseline/row.ts`, which writes the same
 * columns through Prisma's client.
 */

/** The naming authority of all mints. */
export const AUTHORITY = '100.102';

/** SQL: the position of an event of the running transaction. */
const POSITION = 'pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset)';

/** SQL: the ID of `AUTHORITY` in the database. */
const AUTHORITY_ID = `(SELECT id FROM naming_authority WHERE prefix = '${AUTHORITY}')`;

/** SQL: the key of a text, which is the first 16 bytes of its SHA-256. */
const digest = (text) => `encode(substring(sha256((${text})::bytea) FROM 1 FOR 16), 'hex')::uuid`;

export const PREPARE = `INSERT INTO naming_authority (prefix) VALUES ('${AUTHORITY}') ON CONFLICT DO NOTHING`;

/** The tables that mints write, referenced tables first. They are emptied before each run, and copied by the baseline of bulk. */
export const MINTED_TABLES = ['identifier', 'alternate_identifier', 'change', 'request'];

/**
 * One statement that writes mints with a metadata ID, a target and an Idempotency-Key; each row of `identifier` is its own first event.
 * @param source SELECT of the rows: guid uuid, metadata_id text, metadata_key uuid, target text, request_key text,
 * request_index integer, request_hash uuid.
 */
export function insertRows(source) {
  return `INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key, target, client, request_key, request_index,
                              request_hash, position, is_first_event)
    SELECT ${AUTHORITY_ID}, guid, metadata_id, metadata_key, target, 'anonymous', request_key, request_index, request_hash,
           ${POSITION}, true
    FROM (${source}) AS new`;
}

/** Rows of random names for `insertRows`; `from` is a FROM clause with a uuid `seed` for each row. */
function randomRows(from, requestKey, requestIndex) {
  const hex = `upper(replace(seed::text, '-', ''))`;
  return `SELECT gen_random_uuid() AS guid, 'hdl:2000.01/' || ${hex} AS metadata_id,
    ${digest(`'hdl:2000.01/' || ${hex}`)} AS metadata_key, 'https://repo.example.org/objects/' || ${hex} AS target,
    ${requestKey} AS request_key, ${requestIndex} AS request_index, ${digest('seed::text')} AS request_hash
    FROM ${from}`;
}

/** One mint as a statement without parameters, for pgbench. */
export const ONE_MINT = insertRows(randomRows('(SELECT gen_random_uuid() AS seed) AS s', 'seed::text', '0'));

/** The smallest table that can store a mint: without history, replays, states and alternates. */
export const LEANEST_TABLE = `CREATE TABLE leanest (id uuid PRIMARY KEY, metadata_id text COLLATE "C" UNIQUE, target text,
  created_at timestamptz NOT NULL DEFAULT now())`;

/** One mint into the table `leanest`, for pgbench. */
export const LEANEST_MINT = `INSERT INTO leanest (id, metadata_id, target)
  SELECT gen_random_uuid(), 'hdl:2000.01/' || name, 'https://repo.example.org/objects/' || name
  FROM (SELECT upper(replace(gen_random_uuid()::text, '-', '')) AS name) AS new`;

/** A batch of `count` mints under one Idempotency-Key as one statement. */
export function batchOfMints(count) {
  const seeds = `(SELECT gen_random_uuid()::text AS batch) AS b,
    unnest(ARRAY(SELECT gen_random_uuid() FROM generate_series(1, ${count}))) WITH ORDINALITY AS s (seed, index)`;
  return insertRows(randomRows(seeds, 'batch', 'index::integer - 1'));
}

/** One mint with parameters: $1 GUID, $2 metadata ID, $3 key of the metadata ID, $4 target, $5 Idempotency-Key, $6 fingerprint. */
export const ONE_GIVEN = insertRows(
  `SELECT $1::uuid AS guid, $2::text AS metadata_id, $3::uuid AS metadata_key, $4::text AS target, $5::text AS request_key,
    0 AS request_index, $6::uuid AS request_hash`,
);

/** Statements that add `count` identifiers with an alternate identifier each, as the service stores them. */
export function seed(count) {
  const guid = `upper(replace(gen_random_uuid()::text, '-', ''))`;
  return [
    `CREATE TEMPORARY TABLE seeded AS SELECT gen_random_uuid() AS guid, 'hdl:2000.01/' || ${guid} AS metadata_id,
      'https://repo.example.org/objects/' || n AS target, 'info:fedora/demo:' || gen_random_uuid() AS alternate
      FROM generate_series(1, ${count}) AS n`,
    `WITH minted AS (
      INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key, target, alternate_ids, client, position, is_first_event)
      SELECT ${AUTHORITY_ID}, guid, metadata_id, ${digest('metadata_id')}, target, ARRAY[alternate], 'anonymous', ${POSITION}, true
      FROM seeded RETURNING id, alternate_ids
    )
    INSERT INTO alternate_identifier (key, naming_authority_id, identifier_id)
    SELECT ${digest('alternate_ids[1]')}, ${AUTHORITY_ID}, id FROM minted`,
    'DROP TABLE seeded',
  ];
}

/** The names of random identifiers that have a metadata ID and alternates: identifier, metadata ID, first alternate, target. */
export function sample(count) {
  return `SELECT '${AUTHORITY}/' || upper(replace(guid::text, '-', '')), metadata_id, alternate_ids[1], target
    FROM identifier WHERE metadata_id IS NOT NULL AND alternate_ids <> '{}' ORDER BY random() LIMIT ${count}`;
}

export const STORED =
  'SELECT count(*)::integer AS stored, count(DISTINCT (naming_authority_id, guid))::integer AS distinct FROM identifier';
