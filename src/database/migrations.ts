import pg from 'pg';
import { StartupError, reasonOf } from '../config/startup-error.js';
import { applyMigrations, hasMigrationTable } from './apply-migrations.js';
import { missingUniqueIndexes } from './required-indexes.js';
import { requireOwnSession } from './own-session.js';
import { isPrivilegeError, missingPrivilege, requireSchemaRights } from './schema-rights.js';
import { pendingMigrations, unknownMigrations } from './schema-state.js';
import { DEAD_CLIENT_SETTINGS, SessionSettings, VALUE_SETTINGS } from './session-settings.js';
import type { ShippedMigration } from './shipped-migrations.js';
import { type WaitOptions, connectForWriting } from './writable-server.js';

/** The first migrations of earlier development versions, which one migration has replaced. */
const OLD_MIGRATIONS = [
  '20261120000000_identifiers',
  '20261122120000_schema',
  '20261125120000_schema',
  '20261125180000_schema',
  '20261125230000_schema',
  '20261126000000_schema',
  '20261128100000_schema',
  '20261128130000_schema',
];

/** The oldest supported PostgreSQL, as `server_version_num`. */
const OLDEST_VERSION = 150_000;

/** "Mig" in ASCII: the advisory lock under which one process at a time migrates a database. */
const MIGRATION_LOCK = 0x4d6967;

/** The advisory lock of `prisma migrate deploy`, which may run at the same time. */
const PRISMA_LOCK = 72_707_369;

/** Maximum wait for migrations of another process, and for the locks that a migration takes. */
const LOCK_WAIT_MS = 120_000;

interface MigrationOptions extends WaitOptions {
  readonly mayMigrate?: boolean;
  readonly isEmbedded?: boolean;
  /** An abort ends the session, so that no schema change is committed afterwards. */
  readonly signal?: AbortSignal;
}

/**
 * Migrates the database, one process at a time, and returns the names of the applied migrations. Waits for a server that accepts writes.
 * @throws StartupError that names the cause.
 */
export async function migrate(
  url: string,
  { mayMigrate = true, isEmbedded = false, signal, ...wait }: MigrationOptions = {},
): Promise<string[]> {
  const session = await connectForWriting(() => connect(url), wait);
  const end = (): void => void session.end().catch(() => null);
  signal?.addEventListener('abort', end, { once: true });
  try {
    signal?.throwIfAborted();
    await requireVersionAndEncoding(session);
    await requireOwnSession(session, () => connect(url));
    await requirePlainTables(session);
    await requireNoNewerSchema(session);
    const pending = await pendingMigrations(session);
    if (pending.length > 0 && !mayMigrate) throw await lacking(session, pending, isEmbedded);
    const applied = pending.length === 0 ? [] : await applyMissing(session);
    // Citus distributes the tables that are created in a distributed schema.
    if (applied.length > 0) await requirePlainTables(session);
    await requireUniqueIndexes(session);
    return applied;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if (isPrivilegeError(error)) {
      if (!mayMigrate) throw missingPrivilege(error, url);
      await requireSchemaRights(session);
    }
    throw new StartupError(`The database schema could not be migrated: ${reasonOf(error)}`);
  } finally {
    signal?.removeEventListener('abort', end);
    await session.end();
  }
}

/** The migrations that `migrate` would apply, in this order. @throws StartupError */
export async function plannedMigrations(url: string): Promise<readonly ShippedMigration[]> {
  const session = await connect(url);
  try {
    await requireVersionAndEncoding(session);
    await requirePlainTables(session);
    await requireNoNewerSchema(session);
    const pending = await pendingMigrations(session);
    if (pending.length === 0) await requireUniqueIndexes(session);
    else {
      await requireSchemaRights(session);
      await hasMigrationTable(session);
    }
    return pending;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database schema could not be read: ${reasonOf(error)}`);
  } finally {
    await session.end();
  }
}

async function applyMissing(session: pg.Client): Promise<string[]> {
  await session.query(`SET lock_timeout = ${LOCK_WAIT_MS}`);
  await session.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  await session.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK]);
  await requireNoNewerSchema(session);
  await requireSchemaRights(session);
  return applyMigrations(session);
}

async function lacking(
  session: pg.Client,
  pending: readonly ShippedMigration[],
  isEmbedded: boolean,
): Promise<StartupError> {
  const lacks = `The database lacks the migrations ${pending.map(({ name }) => name).join(', ')}, and MIGRATE is "off"`;
  if (isEmbedded) return new StartupError(`${lacks}. Start the service once with MIGRATE=on, the default.`);
  const { rows } = await session.query<{ search_path: string }>('SHOW search_path');
  return new StartupError(
    `${lacks}; the search_path of the role is ${rows[0]?.search_path}. As the owner of the tables, run "mintmark migrate", then docs/deployment/roles.sql.`,
  );
}

/** Opens a session with the settings of the service. @throws StartupError that names the cause and the remedy. */
export async function connect(url: string): Promise<pg.Client> {
  try {
    const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    // Without a listener, the error that a lost session emits would end the process.
    session.on('error', () => {});
    await session.connect();
    // With these settings, the server releases the migration lock of a process that dies silently. Only the pool reports rejected settings.
    await new SessionSettings([...VALUE_SETTINGS, ...DEAD_CLIENT_SETTINGS], () => {}).apply(session);
    return session;
  } catch (error) {
    throw new StartupError(reasonUnreachable(error, url));
  }
}

/** Node.js error codes for a certificate that is not trusted or has another name. */
const CERTIFICATE_ERRORS = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

function reasonUnreachable(error: unknown, url: string): string {
  const { username, pathname } = new URL(url);
  const { code = '' } = error as { code?: string };
  const reason = reasonOf(error);
  if (code === '28P01' || code === '28000') {
    return `The database rejected the login: ${reason}. Correct the user and the password in DATABASE_URL.`;
  }
  if (code === '53300') {
    return `The database admits no further session: ${reason}. End sessions of other programs, or raise CONNECTION LIMIT of the role and the database, or max_connections.`;
  }
  if (code === '3D000') {
    return `${reason}. Create it, as a superuser: CREATE DATABASE "${decodeURIComponent(pathname.slice(1))}" OWNER "${decodeURIComponent(username)}". Or correct DATABASE_URL.`;
  }
  if (reason.includes('does not support SSL')) {
    return 'The server of DATABASE_URL does not offer TLS, which sslmode in DATABASE_URL requires. Switch TLS on at the server (ssl = on, with a certificate), or remove sslmode if only this machine is between the service and the server.';
  }
  if (CERTIFICATE_ERRORS.test(code)) {
    return `The certificate of the database server is not trusted: ${reason}. Name the certificate of its authority in DATABASE_URL, as in ?sslmode=verify-full&sslrootcert=/etc/mintmark/database-ca.pem, and use the host name that the certificate has.`;
  }
  return `The database cannot be reached: ${reason}. Start PostgreSQL, or correct the host and the port in DATABASE_URL.`;
}

async function requireVersionAndEncoding(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ version: string; number: number; encoding: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
            current_setting('server_encoding') AS encoding`,
  );
  const { version = 'unknown', number = 0, encoding = 'unknown' } = rows[0] ?? {};
  if (number < OLDEST_VERSION) {
    throw new StartupError(`Mintmark requires PostgreSQL 15 or later; the database is ${version}.`);
  }
  if (encoding === 'UTF8') return;
  const { database, user } = session;
  throw new StartupError(
    `The database has the encoding ${encoding}, which cannot store every identifier; Mintmark requires UTF8. Drop the database if it is empty, and create it as a superuser: CREATE DATABASE "${database}" OWNER "${user}" ENCODING 'UTF8' TEMPLATE template0. Or name another one in DATABASE_URL.`,
  );
}

/** The catalog pg_dist_partition exists only with Citus. PostgreSQL looks up an unqualified name in pg_catalog first. */
const HAS_CITUS = "SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found";

/** The tables of the service that Citus distributes, including those on one node only. */
const DISTRIBUTED = `
  SELECT c.relname::text AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY 1`;

async function requirePlainTables(session: pg.Client): Promise<void> {
  const { rows: citus } = await session.query<{ found: boolean }>(HAS_CITUS);
  if (citus[0]?.found !== true) return;
  const { rows } = await session.query<{ name: string }>(DISTRIBUTED);
  if (rows.length === 0) return;
  throw new StartupError(
    `Citus distributes the tables ${rows.map(({ name }) => name).join(', ')}, on which Mintmark cannot write. Make them plain again (citus_schema_undistribute or undistribute_table), or use a database without Citus. docs/explanation/scale.md says what takes a registry past one server.`,
  );
}

async function requireNoNewerSchema(session: pg.Client): Promise<void> {
  const unknown = await unknownMigrations(session);
  if (unknown.length === 0) return;
  if (unknown.some((name) => OLD_MIGRATIONS.includes(name))) {
    throw new StartupError(
      'The database has the layout of a development version before the first release, which this version does not read. Use an empty database. To keep the identifiers, export them with the version that wrote them and import them into this one.',
    );
  }
  throw new StartupError(
    `The database schema is newer than this version of Mintmark: the migrations ${unknown.join(', ')} are unknown. Start the version that applied them or a later one, or restore an older backup.`,
  );
}

async function requireUniqueIndexes(session: pg.Client): Promise<void> {
  const missing = await missingUniqueIndexes(session);
  if (missing.length === 0) return;
  throw new StartupError(
    `The unique indexes ${missing.join(', ')} are missing from the database or invalid; without them, duplicates could be stored. Remove duplicates, then create the indexes as in prisma/migrations.`,
  );
}
