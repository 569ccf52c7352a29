import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../../dist/database/migrations.js';
import { Postgres } from './postgres.js';

/** The database of a test file, cloned from the migrated template. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** The server of the databases of this test file. */
export const SERVER_URL = process.env[`E2E_DATABASE_URL_${process.env.JEST_WORKER_ID ?? '1'}`] ?? '';

const TEMPLATE = process.env.E2E_TEMPLATE ?? '';

let schema = 'public';

/** Puts the tables of the databases that this test file creates from now on into another schema. */
export function putTablesInto(name: string): void {
  schema = name;
}

/** @param template the database to clone; `template0` is empty. */
export async function createDatabase(template = TEMPLATE): Promise<TestDatabase> {
  const name = `mintmark_test_${randomBytes(6).toString('hex')}`;
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(SERVER_URL);
  url.pathname = `/${name}`;
  if (schema !== 'public' && template === TEMPLATE) {
    const rename = `ALTER SCHEMA public RENAME TO ${schema}; ALTER DATABASE ${name} SET search_path = ${schema}`;
    await query(url.href, rename);
  }
  const drop = () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  // A server that is thrown away keeps its databases: each drop would wait for a checkpoint.
  return { url: url.href, drop: process.env.E2E_DROPS === '1' ? drop : () => Promise.resolve() };
}

/** A migrated database in a PostgreSQL of Debian's package. */
export async function startInstalled(major: number): Promise<Postgres> {
  const server = await Postgres.start({ major });
  await migrate(server.url);
  return server;
}

async function administer(sql: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString: SERVER_URL });
    await client.connect();
    try {
      await client.query(sql);
      return;
    } catch (error) {
      // 55006: another test file is cloning the template of the same server.
      if (!(error instanceof pg.DatabaseError) || error.code !== '55006' || attempt > 50) throw error;
      await pause(100);
    } finally {
      await client.end();
    }
  }
}

/**
 * The URL of sessions without the triggers of the schema, for states that the service does not make by then: a lease that has ended, or
 * a fault.
 */
export function withoutTriggers(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set('options', '-c session_replication_role=replica');
  return changed.href;
}

/** Sends a query to a database directly. */
export async function query<T extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
