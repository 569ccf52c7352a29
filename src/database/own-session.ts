import type pg from 'pg';
import { StartupError } from '../config/startup-error.js';

/** Maximum wait for a statement. A pool without a free server session queues statements, and a busy server can need seconds. */
const WAIT_MS = 10_000;

/**
 * Checks that two statements of one session reach the same server session while another client has a transaction.
 * @throws StartupError for a pool that shares sessions, because prepared statements, settings and locks belong to a session.
 */
export async function requireOwnSession(session: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const other = await connect();
  try {
    const first = await pidOf(session);
    await other.query('BEGIN');
    const ofOther = await pidOf(other);
    if (ofOther !== first && (await pidOf(session)) === first) return;
  } catch (error) {
    // With `pool_mode = statement`, PgBouncer rejects transactions. With one server session, the last statement times out.
    if (!/pooling mode|read timeout/.test(String(error))) throw error;
  } finally {
    await other.end();
  }
  throw new StartupError(
    'DATABASE_URL leads to a pool that shares the sessions of the server between its clients, such as PgBouncer with pool_mode = transaction. Mintmark needs sessions of its own, because prepared statements, settings and locks belong to them. Name the server itself in DATABASE_URL, or a pool with pool_mode = session.',
  );
}

async function pidOf(session: pg.Client): Promise<number | undefined> {
  const query = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: WAIT_MS } as pg.QueryConfig;
  return (await session.query<{ pid: number }>(query)).rows[0]?.pid;
}
