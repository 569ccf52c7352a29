import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';

/** The one pool of connections: Prisma's queries and our constant SQL share it. */
export function createPool(url: string, config: Config, logger: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: config.pool.size,
    connectionTimeoutMillis: config.pool.connectTimeoutMs,
    statement_timeout: config.pool.statementTimeoutMs,
    application_name: 'mintmark',
  });
  // Acknowledged means durable, whatever the default of the server, the role or the address is. It is queued before any
  // other statement of the connection.
  pool.on('connect', (client) => {
    client.query('SET synchronous_commit = on').catch((error: unknown) => {
      logger.warn({ err: error }, 'a database connection could not be set up');
    });
  });
  // An idle connection that breaks says so here; without a listener it would end the process.
  pool.on('error', (error) => {
    logger.warn({ err: error }, 'an idle database connection was lost');
  });
  return pool;
}
