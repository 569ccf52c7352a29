import { isDeepStrictEqual } from 'node:util';
import { type PatchOperation, mutableAttributesOf } from '../registry/change.js';
import { canonicalNameOf, nameInCanonical } from '../registry/canonical-name.js';
import { opaqueName } from '../registry/opaque-metadata-id.js';
import { upperAscii } from '../registry/upper-ascii.js';
import { digestOf } from '../registry/uuid.js';
import { type IdentifierRow, recordColumns, recordOf } from '../storage/identifiers/identifier-row.js';
import { nativeText } from '../registry/identifier-record.js';
import { type Examined, type Found, error, ok, read } from './finding.js';

const CHUNK = 100;

const MAX_PRINTED = 20;

/**
 * $1: the number of random identifiers. Identifiers after a gap of the sequence are chosen more often. The numbers are drawn first, because
 * `random()` would be evaluated again for each row in a WHERE clause.
 */
const RANDOM = `
  WITH draws AS MATERIALIZED (
    SELECT low + floor(random() * (high - low + 1))::bigint AS at
    FROM (SELECT min(id) AS low, max(id) AS high FROM identifier) bounds, generate_series(1, $1)
  )
  SELECT DISTINCT found.id FROM draws CROSS JOIN LATERAL (
    SELECT i.id FROM identifier i WHERE i.id >= draws.at ORDER BY i.id LIMIT 1
  ) found`;

interface StoredRow extends IdentifierRow {
  readonly folds: boolean;
  readonly local_key: string | null;
  readonly metadata_key: string | null;
  readonly previous_version_key: string | null;
  readonly alternate_keys: readonly string[];
  /** Null if the identifier has no event. */
  readonly events: readonly Event[] | null;
}

interface Event {
  readonly version: number;
  readonly patch: string;
}

const STORED = `
  SELECT ${recordColumns('r', false)}, i.local_key, i.metadata_key, i.previous_version_key, n.case_insensitive AS folds,
         ARRAY(SELECT a.key FROM alternate_identifier a WHERE a.identifier_id = i.id) AS alternate_keys,
         (SELECT json_agg(json_build_object('version', e.version, 'patch', e.patch) ORDER BY e.version) FROM event e
          WHERE e.identifier_id = i.id) AS events
  FROM unnest($1::bigint[]) AS w(id) JOIN identifier i ON i.id = w.id JOIN identifier_record r ON r.id = i.id
  JOIN naming_authority n ON n.id = i.naming_authority_id`;

/** Compares the rows of random identifiers with the results of their histories, and their names with the keys by which they are found. */
export async function compareRecords(on: Examined, count: number): Promise<Found[]> {
  const ids = (await read<{ id: string }>(on, RANDOM, [count])).map(({ id }) => id);
  const differences: string[] = [];
  for (let start = 0; start < ids.length; start += CHUNK) {
    const rows = await read<StoredRow>(on, STORED, [ids.slice(start, start + CHUNK)]);
    differences.push(...rows.flatMap(differencesOf));
    if (process.stderr.isTTY)
      process.stderr.write(`\r${Math.min(start + CHUNK, ids.length)} of ${ids.length} identifiers\r`);
  }
  if (differences.length === 0)
    return ok(`The records of ${ids.length} random identifiers have their histories, names and keys.`);
  const remedy =
    'Rows were changed without the service, or a restore was incomplete: compare with a backup, and restore it.';
  const printed = differences.slice(0, MAX_PRINTED).map((text) => `${text} ${remedy}`);
  return error(...printed, `${differences.length} differences were found in ${ids.length} random identifiers.`);
}

function differencesOf(row: StoredRow): string[] {
  const record = recordOf(row, false);
  const name = nativeText(record);
  const found: string[] = [];
  const note = (what: string) => found.push(`${name}: ${what}.`);

  const events = row.events ?? [];
  const versions = events.map(({ version }) => version);
  const first = versions[0] ?? row.version;
  if (versions.length === 0) note('it has no event');
  else if (!versions.every((version, index) => version === first + index) || versions.at(-1) !== row.version) {
    note(`its events have the versions ${versions.join(', ')}, and the row has ${row.version}`);
  } else {
    const folded = fold(events);
    const stored = JSON.parse(JSON.stringify(mutableAttributesOf(record))) as Record<string, unknown>;
    for (const [member, value] of Object.entries(stored)) {
      if (!isDeepStrictEqual(folded[member] ?? null, value))
        note(`"${member}" of the row differs from the value in its events`);
    }
  }

  if (row.local_name !== null && row.local_key !== digestOf(row.folds ? upperAscii(row.local_name) : row.local_name)) {
    note('it cannot be found by its local name, whose key is wrong');
  }
  if (row.metadata_id !== null && !keysOf(row.metadata_id).has(row.metadata_key ?? '')) {
    note('it cannot be found by its metadata ID, whose key is wrong');
  }
  if (row.previous_version !== null && !keysOf(row.previous_version).has(row.previous_version_key ?? '')) {
    note('it cannot be found by its previous version, whose key is wrong');
  }
  const keys = new Set(row.alternate_keys);
  const isFound = row.alternate_ids.every((text) => [...keysOf(text)].some((key) => keys.has(key)));
  if (!isFound || keys.size !== row.alternate_ids.length) note('its alternate identifiers and their keys differ');
  return found;
}

/** The document after all patches (RFC 6902): the first one adds the document, and each later one replaces members. */
function fold(events: readonly Event[]): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const operation of events.flatMap(({ patch }) => JSON.parse(patch) as PatchOperation[])) {
    if (operation.op === 'add') Object.assign(document, operation.value);
    else document[operation.path.slice(1)] = operation.value;
  }
  return document;
}

/** The keys that a stored text can have. The key of a Handle depends on whether its naming authority ignored case when it was stored. */
function keysOf(text: string): ReadonlySet<string> {
  const name = nameInCanonical(text);
  const keys = name === null ? [] : [true, false].map((foldsCase) => canonicalNameOf(name, { foldsCase }).key);
  return new Set([...keys, opaqueName(text).key]);
}
