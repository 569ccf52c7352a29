import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';

const FOLDER = new URL('../../prisma/migrations/', import.meta.url);

export interface ShippedMigration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal digits, as Prisma computes it. */
  readonly checksum: string;
}

let shipped: Promise<readonly ShippedMigration[]> | undefined;

/** The migrations of this version, in the order in which they are applied. */
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
  return { name, sql, checksum: checksumOf(sql) };
}

export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
