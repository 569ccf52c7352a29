import type pg from 'pg';
import { migrationList } from './schema-engine.js';

/** The names of the migrations that a database has, finished and not rolled back. */
export async function appliedMigrations(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return rows.map(({ name }) => name);
}

let shipped: Promise<string[]> | undefined;

/** The names of the migrations that this version brings, read once. */
export function shippedMigrations(): Promise<string[]> {
  shipped ??= migrationList().then(({ migrationDirectories }) => migrationDirectories.map(({ path }) => path));
  return shipped;
}
