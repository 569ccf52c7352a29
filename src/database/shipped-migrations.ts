import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationList } from '@prisma/schema-engine-wasm';

const FOLDER = new URL('../../prisma/migrations/', import.meta.url);

export interface ShippedMigration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

let shipped: Promise<readonly ShippedMigration[]> | undefined;

export function shippedMigrations(): Promise<readonly ShippedMigration[]> {
  shipped ??= readMigrations();
  return shipped;
}

async function readMigrations(): Promise<ShippedMigration[]> {
  const entries = await readdir(FOLDER, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(names.sort().map(readMigration));
}

async function readMigration(name: string): Promise<ShippedMigration> {
  const sql = await readFile(new URL(`${name}/migration.sql`, FOLDER), 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** The checksum as Prisma computes it. */
export async function migrationList(): Promise<MigrationList> {
  const lockfile = new URL('migration_lock.toml', FOLDER);
  return {
    baseDir: fileURLToPath(FOLDER),
    lockfile: { path: 'migration_lock.toml', content: await readFile(lockfile, 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: (await shippedMigrations()).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}
