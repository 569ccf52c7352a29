import { type SchemaManifest, shippedManifest } from '../database/required-indexes.js';
import { pendingMigrations } from '../database/schema-state.js';
import { type Examined, type Found, error, warning } from './finding.js';
import { readManifest } from './schema-manifest.js';

const MAX_PRINTED = 20;

/** Compares the objects of the database with the manifest of this version. Additional tables and indexes are accepted. */
export async function schema({ session }: Examined): Promise<Found[]> {
  if ((await pendingMigrations(session)).length > 0) {
    return warning('This was not examined, because migrations are missing.');
  }
  const differences = differencesOf(await shippedManifest(), await readManifest(session));
  const more = differences.length - MAX_PRINTED;
  const others = more > 0 ? [`${more} other objects are missing or different too.`] : [];
  return error(...differences.slice(0, MAX_PRINTED), ...others);
}

function differencesOf(expected: SchemaManifest, actual: SchemaManifest): string[] {
  const changed = Object.entries(expected).flatMap(([name, definition]) => {
    const found = actual[name];
    if (found === definition) return [];
    if (found === undefined) return [`The ${name} is missing. ${remedyOf(name, definition)}`];
    return [`The ${name} is "${found}", not "${definition}". ${remedyOf(name, definition)}`];
  });
  const added = Object.keys(actual).filter((name) => !(name in expected) && /^(?:trigger|constraint) /.test(name));
  return [...changed, ...added.map((name) => `The ${name} is not part of Mintmark, and can reject writes. Drop it.`)];
}

function remedyOf(name: string, definition: string): string {
  if (name.startsWith('index ') && /^CREATE (?:UNIQUE )?INDEX/.test(definition)) {
    const concurrently = definition.replace('INDEX', 'INDEX CONCURRENTLY');
    return `As the owner of the tables, drop what is there under this name, and run: ${concurrently}`;
  }
  return 'As the owner of the tables, restore it as in prisma/migrations, or restore a backup.';
}
