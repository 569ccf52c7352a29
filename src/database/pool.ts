import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';

/** How much longer than the server may work on a statement its answer is waited for. */
const ANSWER_GRACE_MS = 1000;

/** How long a connection may lie unused; one that died in silence is not lent again after that. */
const IDLE_TIMEOUT_MS = 10_000;

/** After how long a silent connection is probed by TCP. */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** How many connections serve the statements that are sent again and again. */
const HOT_POOL_SIZE = 6;

/** The connections of a service. */
export interface Pools {
  /** For everything: Prisma's queries, transactions, and statements whose plan depends on their values. */
  readonly general: pg.Pool;
  /**
   * For single statements that are sent again and again: the ones that mint, and those that find single records. They are
   * prepared and planned once in each session, since planning takes longer than they do; and nobody holds one of these
   * connections while waiting for another.
   */
  readonly hot: pg.Pool;
}

/** The injection token of `Pools.hot`; that of `Pools.general` is `pg.Pool`. */
export const HOT_POOL = Symbol('HOT_POOL');

export function createPools(url: string, config: Config, logger: Logger): Pools {
  return {
    general: createPool(url, config, logger, config.pool.size, 'auto'),
    hot: createPool(url, config, logger, Math.min(HOT_POOL_SIZE, config.pool.size), 'force_generic_plan'),
  };
}

/**
 * Nothing waits for ever: a connection has
 * `connectTimeoutMs`, a statement `statementTimeoutMs` in the server, and its answer a little more here, for a network or
 * a server that falls silent. What times out is answered as `DATABASE_UNAVAILABLE`, and its connection is closed.
 */
function createPool(
  url: string,
  config: Config,
  logger: Logger,
  size: number,
  planCacheMode: 'auto' | 'force_generic_plan',
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
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
      client.query(`SET synchronous_commit = on; SET plan_cache_mode = ${planCacheMode}`, done);
    },
  });
  // A connection that breaks while it is lent fails its statement, and says so once more by itself.
  pool.on('connect', (client) => {
    client.on('error', ({ message }) => {
      logger.warn({ reason: message }, 'a database connection was lost in use');
    });
  });
  // An idle connection that breaks says so here; without a listener it would end the process.
  // The error itself holds the connection, with the session's secrets.
  pool.on('error', ({ message }) => {
    logger.warn({ reason: message }, 'an idle database connection was lost');
  });
  return pool;
}
