import type pg from 'pg';
import { shippedMigrations } from './shipped-migrations.js';

const UNDEFINED_TABLE = '42P01';

/** Migrations of this version without a finished run in the database. */
export async function missingMigrations(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await on.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Set(rows.map(({ name }) => name));
  return (await shippedMigrations()).map(({ name }) => name).filter((name) => !applied.has(name));
}

/** Applied migrations that this version does not contain: a newer version applied them. */
export async function unknownMigrations(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const shipped = new Set((await shippedMigrations()).map(({ name }) => name));
  return (await runs(on)).map(({ name }) => name).filter((name) => !shipped.has(name));
}

/** Whether all migrations are applied as shipped and no run is unfinished. */
export async function isUpToDate(on: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const rows = await runs(on);
  const finished = new Set(rows.filter(({ done }) => done).map(({ name, checksum }) => `${name} ${checksum}`));
  const shipped = await shippedMigrations();
  return rows.every(({ done }) => done) && shipped.every(({ name, checksum }) => finished.has(`${name} ${checksum}`));
}

async function runs(on: Pick<pg.ClientBase, 'query'>): Promise<{ name: string; checksum: string; done: boolean }[]> {
  try {
    const { rows } = await on.query<{ name: string; checksum: string; done: boolean }>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS done
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    return rows;
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
