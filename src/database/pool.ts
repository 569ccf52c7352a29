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
    // Acknowledged means durable, whatever the server's or the role's default is.
    options: '-c synchronous_commit=on',
  });
  // An idle connection that breaks says so here; without a listener it would end the process.
  pool.on('error', (error) => {
    logger.warn({ err: error }, 'an idle database connection was lost');
  });
  return pool;
}
