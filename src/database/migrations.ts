import pg from 'pg';
import { StartupError, reasonOf } from '../config/startup-error.js';
import { isUpToDate } from './schema-state.js';
import { migrationList } from './shipped-migrations.js';

/** The oldest PostgreSQL whose SQL we use, as `server_version_num` says it. */
const OLDEST_VERSION = 140_000;

/** "Mig" in ASCII: the advisory lock under which one process at a time migrates a database. */
const MIGRATION_LOCK = 0x4d6967;

/** How long a process waits for another one's migrations. */
const LOCK_WAIT_MS = 120_000;

/**
 * Brings the database to the newest schema. Any number of processes may call it at once: one works, the others wait and
 * then find nothing to do.
 * @returns the names of the migrations that this call applied.
 * @throws StartupError when the database cannot be reached, is too old, or a migration fails.
 */
export async function migrate(url: string): Promise<string[]> {
  const session = await connect(url);
  try {
    await requireVersion(session);
    if (await isUpToDate(session)) return [];
    await session.query(`SET lock_timeout = ${LOCK_WAIT_MS}`);
    await session.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const migrationsList = await migrationList();
    // Loaded here only, for what it weighs: nearly every start finds nothing to do.
    const { ALL_TABLES, withSchemaEngine } = await import('./schema-engine.js');
    return await withSchemaEngine(url, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: ALL_TABLES });
      return appliedMigrationNames;
    });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database schema could not be brought up to date: ${reasonOf(error)}`);
  } finally {
    await session.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  try {
    const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    await session.connect();
    return session;
  } catch (error) {
    throw new StartupError(`The database cannot be reached: ${reasonOf(error)}`);
  }
}

async function requireVersion(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ version: string; number: number }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  );
  if ((rows[0]?.number ?? 0) < OLDEST_VERSION) {
    throw new StartupError(`Mintmark needs PostgreSQL 14 or later; the database is ${rows[0]?.version ?? 'unknown'}.`);
  }
}
