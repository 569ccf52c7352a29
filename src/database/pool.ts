import pg from 'pg';
import type { Logger } from 'pino';
import { parse } from 'postgres-array';
import type { Config } from '../config/config.js';
import { AbandonedSessions, noteConnected } from './abandoned-sessions.js';
import { ConnectionPool, ServerSessions, describeShortage } from './connection-pool.js';
import { SessionSettings, poolSettings } from './session-settings.js';
import { watchStandbyNotices } from './commit-watch.js';

/** Time for which a client waits beyond the statement timeout of the server. */
export const RESPONSE_GRACE_MS = 1000;

/** Idle connections are closed, because a connection that failed silently must not be used again. */
const IDLE_TIMEOUT_MS = 10_000;

const KEEP_ALIVE_DELAY_MS = 10_000;

const HOT_POOL_SIZE = 6;

/** Lock timeout of the hot pool. It is short, so that a locked metadata ID does not occupy one of the few connections. */
export const HOT_LOCK_WAIT_MS = 50;

export interface Pools {
  /** For Prisma, transactions, and statements whose plan depends on values. */
  readonly general: pg.Pool;
  /** For mints, look-ups and other statements that are prepared once per session and commit by themselves. */
  readonly hot: pg.Pool;
  /** One connection for polls of the log, which must not wait behind other statements. */
  readonly log: pg.Pool;
  /** For `READ_DATABASE_URL`; null without it. */
  readonly replica: ReplicaPools | null;
  /** Two connections: for `CommitProbe`, which can wait for a standby; and for `LockProbe` and statements about other sessions. */
  readonly probe: pg.Pool;
}

/** The pools of a `Replica`: sessions at the server of `READ_DATABASE_URL`, and one at the primary for `ReplicaWatch`. */
export type ReplicaPools = Readonly<Record<'reads' | 'primaryProbe', pg.Pool>>;

export interface FailureReport {
  connectionLost(reason: string): void;
  /** Called each time the database has completed a statement. */
  responded(): void;
}

const NO_REPORT: FailureReport = { connectionLost: () => {}, responded: () => {} };

export const HOT_POOL = Symbol('HOT_POOL');
export const LOG_POOL = Symbol('LOG_POOL');
export const PROBE_POOL = Symbol('PROBE_POOL');

/** A slower poll is useless, because a cache that is so far behind serves no records. */
const LOG_STATEMENT_TIMEOUT_MS = 700;

/** Uses of a session of `primaryProbe` before it is renewed, because a host name or load balancer can later lead to another server. */
const PROBE_USES = 10;

/** Limit for connecting and for a statement. If the replica does not respond, a read goes to the primary after this time. */
const REPLICA_WAIT_MS = 1000;

const TEXT_ARRAY = 1009;

/** The type declaration of `pg` lacks array types. */
const setTypeParser: (oid: number, parse: (text: string) => unknown) => void = pg.types.setTypeParser;

export function createPools(url: string, config: Config, logger: Logger, failures: FailureReport = NO_REPORT): Pools {
  // The version of this parser in `pg` is 30 times slower for a large record of 64 KB.
  setTypeParser(TEXT_ARRAY, (text) => parse(text));
  const { readDatabaseUrl, pool } = config;
  // A repeat that waits for the first request with its key must fail before the statement times out.
  const lockWaitMs = Math.ceil(pool.statementTimeoutMs / 3);
  const hotSize = Math.min(HOT_POOL_SIZE, pool.size);
  const usual: Traits = {
    ...pool,
    ...{ url, lockWaitMs, failures, planCacheMode: 'force_generic_plan', isReadOnly: false, maxUses: Infinity },
    acceptsRecovery: readDatabaseUrl === null,
    abandoned: new AbandonedSessions(() => pools.probe, logger),
    sessions: new ServerSessions((shortage) => {
      logger.warn(shortage, describeShortage(shortage));
    }),
  };
  const ofReplica: Traits = {
    ...{ ...usual, abandoned: null, sessions: null, isReadOnly: true, acceptsRecovery: true },
    // The failures are not reported as an outage, because `ReplicaWatch` reports them.
    failures: NO_REPORT,
    lockWaitMs: REPLICA_WAIT_MS,
    statementTimeoutMs: Math.min(REPLICA_WAIT_MS, pool.statementTimeoutMs),
    connectTimeoutMs: Math.min(REPLICA_WAIT_MS, pool.connectTimeoutMs),
  };
  const ofLog = { lockWaitMs: LOG_STATEMENT_TIMEOUT_MS, statementTimeoutMs: LOG_STATEMENT_TIMEOUT_MS };
  const create = (traits: Traits): pg.Pool => createPool(traits, logger);
  const pools: Pools = {
    general: create({ ...usual, planCacheMode: 'auto' }),
    hot: create({ ...usual, size: hotSize, lockWaitMs: Math.min(HOT_LOCK_WAIT_MS, lockWaitMs) }),
    log: create({ ...usual, size: 1, ...ofLog }),
    probe: create({ ...usual, size: 2, planCacheMode: 'auto' }),
    replica:
      readDatabaseUrl === null
        ? null
        : {
            reads: create({ ...ofReplica, url: readDatabaseUrl, size: hotSize }),
            primaryProbe: create({ ...ofReplica, size: 1, maxUses: PROBE_USES }),
          },
  };
  return pools;
}

interface Traits extends Readonly<Config['pool']> {
  readonly url: string;
  readonly failures: FailureReport;
  readonly lockWaitMs: number;
  readonly planCacheMode: 'auto' | 'force_generic_plan';
  /** Null for sessions that write nothing. */
  readonly abandoned: AbandonedSessions | null;
  /** Null for a pool whose requests go to another server when this server rejects a session. */
  readonly sessions: ServerSessions | null;
  readonly isReadOnly: boolean;
  readonly acceptsRecovery: boolean;
  readonly maxUses: number;
}

/** Every wait has a limit. The limits of the client exceed those of the server, and take effect if the network or the server fails. */
function createPool(traits: Traits, logger: Logger): pg.Pool {
  const { failures, statementTimeoutMs, planCacheMode, acceptsRecovery } = traits;
  const readOnly = traits.isReadOnly ? [{ name: 'default_transaction_read_only', value: 'on', required: true }] : [];
  // Set with statements, because PgBouncer rejects these settings as connection parameters.
  const limits = [
    { name: 'statement_timeout', value: statementTimeoutMs, required: true },
    { name: 'lock_timeout', value: traits.lockWaitMs, required: true },
  ];
  const settings = new SessionSettings([...limits, ...poolSettings(planCacheMode), ...readOnly], (setting, reason) => {
    logger.warn({ setting, reason }, 'the database rejected a session setting; the session continues without it');
  });
  const poolConfig: pg.PoolConfig = {
    connectionString: traits.url,
    max: traits.size,
    maxUses: traits.maxUses,
    connectionTimeoutMillis: traits.connectTimeoutMs,
    query_timeout: statementTimeoutMs + RESPONSE_GRACE_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'mintmark',
    // Runs before the pool returns a new connection.
    verify: (client, done) => {
      settings
        .apply(client)
        .then(() => (acceptsRecovery ? undefined : rejectRecovery(client)))
        .then(() => {
          done();
        }, done);
    },
  };
  const pool = new ConnectionPool(poolConfig, traits.sessions);
  pool.on('connect', (client) => {
    watchStandbyNotices(client);
    noteConnected(client);
    // Emitted even for an idle connection. Only the message is logged, because the error contains secrets.
    client.on('error', ({ message }) => {
      failures.connectionLost(`a database connection was lost: ${message}`);
    });
    client.on('drain', () => {
      failures.responded();
    });
  });
  // Runs for every released client. A rejected statement leaves the session usable; any other error may abandon the session on the server.
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
 * With a read replica, a row counts as missing if the primary does not have it, so the server must be the primary. Checking new sessions
 * suffices, because a server goes into recovery only by a restart, which ends its sessions.
 */
async function rejectRecovery(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ inRecovery: boolean }>('SELECT pg_is_in_recovery() AS "inRecovery"');
  if (rows[0]?.inRecovery === true) throw new InRecoveryError();
}
