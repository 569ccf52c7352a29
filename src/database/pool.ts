import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';

/** How much longer than the server may work on a statement its answer is waited for. */
const ANSWER_GRACE_MS = 1000;

/** How long a connection may lie unused; one that died in silence is not lent again after that. */
const IDLE_TIMEOUT_MS = 10_000;

/** After how long a silent connection is probed by TCP. */
const KEEP_ALIVE_DELAY_MS = 10_000;

/**
 * The one pool of connections: Prisma's queries and our constant SQL share it. Nothing waits for ever: a connection has
 * `connectTimeoutMs`, a statement `statementTimeoutMs` in the server, and its answer a little more here, for a network or
 * a server that falls silent. What times out is answered as `DATABASE_UNAVAILABLE`, and its connection is closed.
 */
export function createPool(url: string, config: Config, logger: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: config.pool.size,
    connectionTimeoutMillis: config.pool.connectTimeoutMs,
    statement_timeout: config.pool.statementTimeoutMs,
    // A repeat that waits for the first request with its key is told so before the statement's own time is up.
    lock_timeout: Math.ceil(config.pool.statementTimeoutMs / 3),
    query_timeout: config.pool.statementTimeoutMs + ANSWER_GRACE_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'mintmark',
    // Acknowledged means durable, whatever the default of the server, the role or the address is. The pool waits for it
    // before it lends the connection.
    verify: (client, done) => {
      client.query('SET synchronous_commit = on', done);
    },
  });
  // A connection that breaks while it is lent fails its statement, and says so once more by itself.
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      logger.warn({ err: error }, 'a database connection was lost in use');
    });
  });
  // An idle connection that breaks says so here; without a listener it would end the process.
  // The error itself holds the connection, with the session's secrets.
  pool.on('error', ({ message }) => {
    logger.warn({ reason: message }, 'an idle database connection was lost');
  });
  return pool;
}
