import pg from 'pg';
import type { Logger } from 'pino';

/**
 * $1: process numbers; $2: the seconds since each connected. Ends sessions that wait for a standby; those that wait for something
 * else end by their own limits. After a failover another session can have the number: it has another age. Clocks drift, at most
 * by a percent.
 */
const TERMINATE = `
  SELECT a.pid, CASE WHEN a.wait_event = 'SyncRep' THEN pg_terminate_backend(a.pid) ELSE false END AS ended
  FROM unnest($1::int[], $2::float8[]) AS w(pid, age) JOIN pg_stat_activity a USING (pid)
  WHERE a.usename = current_user
    AND abs(extract(epoch FROM clock_timestamp() - a.backend_start) - w.age) < 5 + w.age / 100`;

const TIMEOUT_MS = 2000;
const PAUSE_MS = 1000;

/** Between two lines of the log. */
const LOG_INTERVAL_MS = 60_000;

/** Sessions that were not ended after this time have ended by their own limits, or with their server. */
const MAX_AGE_MS = 600_000;

/** More would only be found again by later statements that fail. */
const MOST = 1000;

const connectedAt = new WeakMap<object, number>();

/** Notes the age of a session that may be given up later. */
export function noteConnected(client: object): void {
  connectedAt.set(client, performance.now());
}

/**
 * Ends sessions on the server that the pool has given up while they waited for a synchronous standby. PostgreSQL does not notice
 * there that the client is gone, so they would add up until no read finds a connection. Their transactions are committed on the
 * server, and their outcome was reported as unknown.
 */
export class AbandonedSessions {
  private readonly sessions = new Map<number, { readonly connectedAt: number; readonly since: number }>();
  private isRunning = false;
  private unreported = 0;
  private reportedAt = -Infinity;

  /** @param pool of connections that never wait for a standby. */
  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** @param client a client that the pool has removed. */
  add(client: object): void {
    const { processID: pid } = client as { processID?: number | null };
    if (typeof pid !== 'number' || this.sessions.size >= MOST) return;
    const since = performance.now();
    this.sessions.set(pid, { connectedAt: connectedAt.get(client) ?? since, since });
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.sessions.size > 0) {
      await this.terminate(new Map(this.sessions)).catch(() => null);
      const before = performance.now() - MAX_AGE_MS;
      for (const [pid, { since }] of this.sessions) if (since < before) this.sessions.delete(pid);
      // Does not keep the process.
      if (this.sessions.size > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    this.isRunning = false;
  }

  private async terminate(sought: AbandonedSessions['sessions']): Promise<void> {
    const ages = [...sought.values()].map((session) => (performance.now() - session.connectedAt) / 1000);
    const { rows } = await this.pool.query<{ pid: number; ended: boolean }>(TERMINATE, [[...sought.keys()], ages]);
    const left = new Set(rows.filter(({ ended }) => !ended).map(({ pid }) => pid));
    for (const [pid, session] of sought) {
      // Another one with its number may have been added meanwhile.
      if (this.sessions.get(pid) === session && !left.has(pid)) this.sessions.delete(pid);
    }
    this.report(rows.length - left.size);
  }

  private report(ended: number): void {
    this.unreported += ended;
    if (this.unreported === 0 || performance.now() - this.reportedAt < LOG_INTERVAL_MS) return;
    this.logger.warn({ sessions: this.unreported }, 'ended sessions that waited for a synchronous standby');
    this.reportedAt = performance.now();
    this.unreported = 0;
  }
}

/** What `AbandonedSessions` needs. @param url of the primary. @returns a pool of its own: all others may wait for the standby. */
export function createEndingPool(url: string): pg.Pool {
  const limits = {
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    idleTimeoutMillis: PAUSE_MS,
  };
  const pool = new pg.Pool({ connectionString: url, application_name: 'mintmark', allowExitOnIdle: true, ...limits });
  return pool.on('error', () => null);
}
