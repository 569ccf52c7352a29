import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { AbandonedSessions, createEndingPool, noteConnected } from './abandoned-sessions.js';
import { ConnectionPool } from './connection-pool.js';
import { ServerSessions, describeShortage } from './server-sessions.js';
import { SessionSettings, poolSettings } from './session-settings.js';
import { watchStandbyNotices } from './commit-watch.js';
import { registerTextArrays } from './text-array.js';

/** Time after the statement timeout of the server. */
const ANSWER_GRACE_MS = 1000;

/** Idle timeout, so that a connection that failed silently is not used again. */
const IDLE_TIMEOUT_MS = 10_000;

const KEEP_ALIVE_DELAY_MS = 10_000;

const HOT_POOL_SIZE = 6;

/** Short, so that a locked metadata ID does not occupy one of the few connections. */
export const HOT_LOCK_WAIT_MS = 50;

export interface Pools {
  /** Prisma, transactions, and statements whose plan depends on values. */
  readonly general: pg.Pool;
  /** Single mints and look-ups, whose statements are prepared once per session. */
  readonly hot: pg.Pool;
  /** One connection for the polls of the log, which do not wait behind other statements. Opened by the first poll. */
  readonly log: pg.Pool;
  /** Those for `READ_DATABASE_URL`; null without it. */
  readonly replica: ReplicaPools | null;
  /** One connection for `CommitProbe` or `LockProbe`, and one that reads who blocks the latter. */
  readonly probe: pg.Pool;
}

/** Of a `Replica`: the sessions that are read at the server of `READ_DATABASE_URL`, and one at the primary for `ReplicaWatch`. */
export type ReplicaPools = Readonly<Record<'reads' | 'primaryProbe', pg.Pool>>;

/** Where failures of connections are reported, and what shows that they have ended. */
export interface FailureReport {
  connectionLost(reason: string): void;
  /** The database has completed a statement. Called often. */
  responded(): void;
}

const NO_REPORT: FailureReport = { connectionLost: () => {}, responded: () => {} };

export const HOT_POOL = Symbol('HOT_POOL');
export const LOG_POOL = Symbol('LOG_POOL');
export const PROBE_POOL = Symbol('PROBE_POOL');

/** A poll that takes longer comes too late: what it reads is not served. */
const LOG_STATEMENT_TIMEOUT_MS = 700;

/** A new session of a probe can reach another server, where a name or a balancer leads to it now. */
const PROBE_USES = 10;

/** Of a connection and of a statement. Short, because the primary is asked after a replica that does not respond. */
const REPLICA_WAIT_MS = 1000;

export function createPools(url: string, config: Config, logger: Logger, failures: FailureReport = NO_REPORT): Pools {
  registerTextArrays();
  // A repeat that waits for the first request with its key gets an error before the statement times out.
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

/** Its failures are no outage: `ReplicaWatch` reports them. */
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
  /** Null where sessions write nothing. */
  readonly abandoned: AbandonedSessions | null;
  /** Null where another server is asked while this one admits no session. */
  readonly sessions: ServerSessions | null;
  /** By default that of the configuration. */
  readonly statementTimeoutMs?: number;
  /** By default that of the configuration. */
  readonly connectTimeoutMs?: number;
  /** Whether the server rejects every write of its sessions, also where it is a primary. */
  readonly isReadOnly?: boolean;
  /** Whether a session may be at a server in recovery. */
  readonly acceptsRecovery: boolean;
  /** After so many, a session is closed; by default none is. */
  readonly maxUses?: number;
}

/** Every wait has a limit. The limit here exceeds that of the server, for a network or server that does not respond. */
function createPool(url: string, config: Config, logger: Logger, failures: FailureReport, traits: Traits): pg.Pool {
  const { size, lockWaitMs, planCacheMode, statementTimeoutMs = config.pool.statementTimeoutMs } = traits;
  const {
    connectTimeoutMs = config.pool.connectTimeoutMs,
    isReadOnly = false,
    acceptsRecovery,
    maxUses = Infinity,
  } = traits;
  const readOnly = isReadOnly ? [{ name: 'default_transaction_read_only', value: 'on', required: true }] : [];
  // Not as parameters of the connection, which PgBouncer rejects.
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
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
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
    // Also of an idle connection; one in use fails its statement too. The error contains secrets.
    client.on('error', ({ message }) => {
      failures.connectionLost(`a database connection was lost: ${message}`);
    });
    client.on('drain', () => {
      failures.responded();
    });
  });
  // Of statements by `Transactions`, by Prisma and by the pool itself; a rejected statement leaves no session behind.
  pool.on('release', (error: unknown, client) => {
    // `pg.Pool.query` releases with null after a success.
    const isBroken = error !== undefined && error !== null && error !== false && !(error instanceof pg.DatabaseError);
    if (isBroken) traits.abandoned?.add(client);
  });
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', () => {});
  return pool;
}

/** A new session of `DATABASE_URL` is at a standby. Its code is that of a write there. */
export class InRecoveryError extends Error {
  readonly code = '25006';

  constructor() {
    super('the server of DATABASE_URL is in recovery (a standby)');
  }
}

/**
 * Beside a replica, what the primary does not have does not exist, so that a standby must not serve it in its place. A server goes
 * into recovery only by a restart, which ends its sessions.
 * @throws InRecoveryError
 */
async function rejectRecovery(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ inRecovery: boolean }>('SELECT pg_is_in_recovery() AS "inRecovery"');
  if (rows[0]?.inRecovery === true) throw new InRecoveryError();
}
