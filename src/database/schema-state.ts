import type pg from 'pg';
import { type ShippedMigration, shippedMigrations } from './shipped-migrations.js';

const UNDEFINED_TABLE = '42P01';

/** Migrations of this version without a finished run in the database. Without a table of migrations, these are all migrations. */
export async function pendingMigrations(on: Pick<pg.ClientBase, 'query'>): Promise<ShippedMigration[]> {
  const finished = new Set((await runs(on)).filter(({ done }) => done).map(({ name }) => name));
  return (await shippedMigrations()).filter(({ name }) => !finished.has(name));
}

/** Migrations in the database that this version does not contain, such as those of a newer version. */
export async function unknownMigrations(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const shipped = new Set((await shippedMigrations()).map(({ name }) => name));
  return (await runs(on)).map(({ name }) => name).filter((name) => !shipped.has(name));
}

async function runs(on: Pick<pg.ClientBase, 'query'>): Promise<{ readonly name: string; readonly done: boolean }[]> {
  try {
    const { rows } = await on.query<{ name: string; done: boolean }>(
      `SELECT migration_name AS name, finished_at IS NOT NULL AS done
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    );
    return rows;
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
