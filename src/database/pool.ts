import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { AbandonedSessions, createEndingPool, noteConnected } from './abandoned-sessions.js';
import { ConnectionPool } from './connection-pool.js';
import { ServerSessions, describeShortage } from './server-sessions.js';
import { SessionSettings, poolSettings } from './session-settings.js';
import { watchStandbyNotices } from './commit-watch.js';
import { registerTextArrays } from './text-array.js';

/** Time for which a client waits beyond the statement timeout of the server. */
const RESPONSE_GRACE_MS = 1000;

/** Idle connections are closed, because one that failed silently must not be used again. */
const IDLE_TIMEOUT_MS = 10_000;

const KEEP_ALIVE_DELAY_MS = 10_000;

const HOT_POOL_SIZE = 6;

/** The wait is short, so that a locked metadata ID does not occupy one of the few connections. */
export const HOT_LOCK_WAIT_MS = 50;

export interface Pools {
  /** For Prisma, transactions, and statements whose plan depends on values. */
  readonly general: pg.Pool;
  /** For single mints and look-ups, whose statements are prepared once per session. */
  readonly hot: pg.Pool;
  /** One connection for polls of the log, which must not wait behind other statements. */
  readonly log: pg.Pool;
  /** For `READ_DATABASE_URL`; null without it. */
  readonly replica: ReplicaPools | null;
  /** One connection for `CommitProbe` or `LockProbe`, and one that reads which session blocks `LockProbe`. */
  readonly probe: pg.Pool;
}

/** The pools of a `Replica`: sessions at the server of `READ_DATABASE_URL`, and one at the primary for `ReplicaWatch`. */
export type ReplicaPools = Readonly<Record<'reads' | 'primaryProbe', pg.Pool>>;

/** Receives connection failures, and the successes that end them. */
export interface FailureReport {
  connectionLost(reason: string): void;
  /** Called each time that the database has completed a statement. */
  responded(): void;
}

const NO_REPORT: FailureReport = { connectionLost: () => {}, responded: () => {} };

export const HOT_POOL = Symbol('HOT_POOL');
export const LOG_POOL = Symbol('LOG_POOL');
export const PROBE_POOL = Symbol('PROBE_POOL');

/** A slower poll is useless, because records are not served from a cache that is so far behind. */
const LOG_STATEMENT_TIMEOUT_MS = 700;

/** Uses of a probe's session before it is renewed, because a host name or a load balancer may lead to another server later. */
const PROBE_USES = 10;

/** Limit for connecting and for a statement. If the replica does not respond, a read goes to the primary only after this time. */
const REPLICA_WAIT_MS = 1000;

export function createPools(url: string, config: Config, logger: Logger, failures: FailureReport = NO_REPORT): Pools {
  registerTextArrays();
  // A repeat that waits for the first request with its key must fail before the statement times out.
  const lockWaitMs = Math.ceil(config.pool.statementTimeoutMs / 3);
  const hotSize = Math.min(HOT_POOL_SIZE, config.pool.size);
  const hotLockWaitMs = Math.min(HOT_LOCK_WAIT_MS, lockWaitMs);
  const abandoned = new AbandonedSessions(createEndingPool(url), logger);
  const acceptsRecovery = config.readDatabaseUrl === null;
  const sessions = new ServerSessions((shortage) => {
    logger.warn(shortage, describeShortage(shortage));
  });
  const create = (traits: Omit<Traits, 'abandoned' | 'acceptsRecovery' | 'sessions'>): pg.Pool =>
    createPool(url, config, logger, failures, { ...traits, abandoned, acceptsRecovery, sessions });
  return {
    general: create({ size: config.pool.size, lockWaitMs, planCacheMode: 'auto' }),
    hot: create({ size: hotSize, lockWaitMs: hotLockWaitMs, planCacheMode: 'force_generic_plan' }),
    log: create({
      size: 1,
      lockWaitMs: LOG_STATEMENT_TIMEOUT_MS,
      planCacheMode: 'force_generic_plan',
      statementTimeoutMs: LOG_STATEMENT_TIMEOUT_MS,
    }),
    probe: create({ size: 2, lockWaitMs, planCacheMode: 'auto' }),
    replica:
      config.readDatabaseUrl === null
        ? null
        : {
            reads: createReplicaPool(config.readDatabaseUrl, config, logger, hotSize),
            primaryProbe: createReplicaPool(url, config, logger, 1, PROBE_USES),
          },
  };
}

/** Creates a pool whose failures are not reported as an outage, because `ReplicaWatch` reports them. */
function createReplicaPool(url: string, config: Config, logger: Logger, size: number, maxUses = Infinity): pg.Pool {
  return createPool(url, config, logger, NO_REPORT, {
    size,
    lockWaitMs: REPLICA_WAIT_MS,
    planCacheMode: 'force_generic_plan',
    abandoned: null,
    sessions: null,
    statementTimeoutMs: Math.min(REPLICA_WAIT_MS, config.pool.statementTimeoutMs),
    connectTimeoutMs: Math.min(REPLICA_WAIT_MS, config.pool.connectTimeoutMs),
    isReadOnly: true,
    acceptsRecovery: true,
    maxUses,
  });
}

interface Traits {
  readonly size: number;
  readonly lockWaitMs: number;
  readonly planCacheMode: 'auto' | 'force_generic_plan';
  /** Null for sessions that write nothing. */
  readonly abandoned: AbandonedSessions | null;
  /** Null for a pool whose requests go to another server when this one rejects a session. */
  readonly sessions: ServerSessions | null;
  /** Default: that of the configuration. */
  readonly statementTimeoutMs?: number;
  /** Default: that of the configuration. */
  readonly connectTimeoutMs?: number;
  /** Whether the sessions are read-only, even at a primary. */
  readonly isReadOnly?: boolean;
  /** Whether a session may be at a server in recovery. */
  readonly acceptsRecovery: boolean;
  /** Uses after which a session is closed; unlimited by default. */
  readonly maxUses?: number;
}

/** Every wait has a limit. The limits of the client exceed those of the server, and apply if the network or the server fails. */
function createPool(url: string, config: Config, logger: Logger, failures: FailureReport, traits: Traits): pg.Pool {
  const { size, lockWaitMs, planCacheMode, statementTimeoutMs = config.pool.statementTimeoutMs } = traits;
  const {
    connectTimeoutMs = config.pool.connectTimeoutMs,
    isReadOnly = false,
    acceptsRecovery,
    maxUses = Infinity,
  } = traits;
  const readOnly = isReadOnly ? [{ name: 'default_transaction_read_only', value: 'on', required: true }] : [];
  // Set by statements, because PgBouncer rejects them as connection parameters.
  const limits = [
    { name: 'statement_timeout', value: statementTimeoutMs, required: true },
    { name: 'lock_timeout', value: lockWaitMs, required: true },
  ];
  const settings = new SessionSettings([...limits, ...poolSettings(planCacheMode), ...readOnly], (setting, reason) => {
    logger.warn({ setting, reason }, 'the database rejected a session setting; the session continues without it');
  });
  const poolConfig: pg.PoolConfig = {
    connectionString: url,
    max: size,
    maxUses,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + RESPONSE_GRACE_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'mintmark',
    // Runs before the pool returns a new connection.
    verify: (client, done) => {
      const accepted = acceptsRecovery
        ? settings.apply(client)
        : settings.apply(client).then(() => rejectRecovery(client));
      accepted.then(() => {
        done();
      }, done);
    },
  };
  const pool = new ConnectionPool(poolConfig, traits.sessions);
  pool.on('connect', (client) => {
    watchStandbyNotices(client);
    noteConnected(client);
    // Also emitted for an idle connection. Only the message is logged, because the error contains secrets.
    client.on('error', ({ message }) => {
      failures.connectionLost(`a database connection was lost: ${message}`);
    });
    client.on('drain', () => {
      failures.responded();
    });
  });
  // Runs for every released client. A rejected statement leaves the session usable; any other error may abandon it on the server.
  pool.on('release', (error: unknown, client) => {
    // `pg.Pool.query` releases with null after a success.
    const isBroken = error !== undefined && error !== null && error !== false && !(error instanceof pg.DatabaseError);
    if (isBroken) traits.abandoned?.add(client);
  });
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', () => {});
  return pool;
}

/** A new session of `DATABASE_URL` is at a standby. The error has the code of a write at a standby. */
export class InRecoveryError extends Error {
  readonly code = '25006';

  constructor() {
    super('the server of DATABASE_URL is in recovery (a standby)');
  }
}

/**
 * Rejects a server in recovery. With a read replica, a row counts as missing if the primary does not have it, so the server must be the
 * primary. Checking new sessions suffices, because a server goes into recovery only by a restart, which ends its sessions.
 * @throws InRecoveryError
 */
async function rejectRecovery(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ inRecovery: boolean }>('SELECT pg_is_in_recovery() AS "inRecovery"');
  if (rows[0]?.inRecovery === true) throw new InRecoveryError();
}
