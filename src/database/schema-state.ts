import type pg from 'pg';
import { type ShippedMigration, shippedMigrations } from './shipped-migrations.js';

const UNDEFINED_TABLE = '42P01';

/** Names of migrations of this version without a finished run in the database. */
export async function missingMigrations(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  return (await pendingMigrations(on, await shippedMigrations())).map(({ name }) => name);
}

/** Migrations without a finished run in the database: all of them if it has no table of migrations. */
export async function pendingMigrations(
  on: Pick<pg.ClientBase, 'query'>,
  migrations: readonly ShippedMigration[],
): Promise<ShippedMigration[]> {
  return unapplied(await runsIfAny(on), migrations);
}

/** Applied migrations that this version does not contain, such as those of a newer version. */
export async function unknownMigrations(on: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const shipped = new Set((await shippedMigrations()).map(({ name }) => name));
  return (await runsIfAny(on)).map(({ name }) => name).filter((name) => !shipped.has(name));
}

/** A row of `_prisma_migrations` that is not marked as rolled back. */
interface Run {
  readonly name: string;
  readonly done: boolean;
}

function unapplied(recorded: readonly Run[], migrations: readonly ShippedMigration[]): ShippedMigration[] {
  const finished = new Set(recorded.filter(({ done }) => done).map(({ name }) => name));
  return migrations.filter(({ name }) => !finished.has(name));
}

async function runs(on: Pick<pg.ClientBase, 'query'>): Promise<Run[]> {
  const { rows } = await on.query<Run>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS done
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return rows;
}

async function runsIfAny(on: Pick<pg.ClientBase, 'query'>): Promise<Run[]> {
  try {
    return await runs(on);
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
