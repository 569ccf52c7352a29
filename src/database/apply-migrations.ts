import type pg from 'pg';
import { reasonOf } from '../config/startup-error.js';
import { pendingMigrations } from './schema-state.js';
import type { ShippedMigration } from './shipped-migrations.js';

/** The table in which Prisma 7 records applied migrations. */
const CREATE_TABLE = `
  CREATE TABLE _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/** Marks an interrupted run as rolled back, as `prisma migrate` requires. The run had no effect, because a migration is a transaction. */
const CLOSE_UNFINISHED = `
  UPDATE _prisma_migrations SET rolled_back_at = now()
  WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`;

/** Prisma orders the rows by `started_at`. In a transaction, now() is the time at which the transaction started. */
const RECORD = `
  INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
  VALUES (gen_random_uuid(), $1, $2, now(), clock_timestamp(), 1)`;

/**
 * Applies the migrations that the database lacks, each in one transaction, and returns their names. The caller holds the migration lock.
 * @throws Error that names the failed migration. The failed migration has no effect; those before it stay applied.
 */
export async function applyMigrations(session: pg.ClientBase): Promise<string[]> {
  if (!(await hasMigrationTable(session))) await session.query(CREATE_TABLE);
  const pending = await pendingMigrations(session);
  for (const migration of pending) await apply(session, migration);
  return pending.map(({ name }) => name);
}

async function apply(session: pg.ClientBase, { name, sql, checksum }: ShippedMigration): Promise<void> {
  try {
    await session.query('BEGIN');
    await session.query(CLOSE_UNFINISHED, [name]);
    await session.query(sql);
    await session.query(RECORD, [checksum, name]);
    await session.query('COMMIT');
  } catch (error) {
    // If the session is lost, the server rolls back.
    await session.query('ROLLBACK').catch(() => {});
    throw new Error(
      `the migration ${name} failed: ${reasonOf(error)}. A migration that fails has no effect; the next start applies it again.`,
      { cause: error },
    );
  }
}

/** Whether the schema has the table of migrations. @throws Error if it lacks this table, but has tables of another program. */
export async function hasMigrationTable(session: pg.ClientBase): Promise<boolean> {
  const { rows } = await session.query<{ exists: boolean; schema: string; other: string | null }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists, current_schema() AS schema,
       (SELECT min(c.relname::text) FROM pg_class c
        WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p')
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
       ) AS other`,
  );
  const [{ exists, schema, other } = { exists: false, schema: '', other: null }] = rows;
  if (!exists && other !== null) {
    throw new Error(
      `the schema "${schema}" has the table "${other}", but no table _prisma_migrations. Use an empty database, or restore this table from a backup.`,
    );
  }
  return exists;
}
