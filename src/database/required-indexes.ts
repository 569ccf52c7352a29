import { readFile } from 'node:fs/promises';
import type pg from 'pg';

/** Definitions of the objects of a schema by their names, such as `column identifier.target`. */
export type SchemaManifest = Readonly<Record<string, string>>;

const MANIFEST = new URL('../../prisma/schema-manifest.json', import.meta.url);

export async function shippedManifest(): Promise<SchemaManifest> {
  return JSON.parse(await readFile(MANIFEST, 'utf8')) as SchemaManifest;
}

export async function requiredUniqueIndexes(): Promise<string[]> {
  const indexes = Object.entries(await shippedManifest()).filter(([, sql]) => sql.startsWith('CREATE UNIQUE INDEX '));
  return indexes.map(([name]) => name.slice(name.indexOf('.') + 1)).sort();
}

/** Returns the required unique indexes that are missing or invalid; an interrupted CREATE INDEX leaves an invalid one. */
export async function missingUniqueIndexes(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await on.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE pg_table_is_visible(i.indrelid) AND i.indisunique AND i.indisvalid AND i.indisready`,
  );
  const present = new Set(rows.map(({ name }) => name));
  return (await requiredUniqueIndexes()).filter((name) => !present.has(name));
}
