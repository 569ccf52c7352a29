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

/** A session that was found this often ends by its own limits. */
const MAX_FINDS = 15;

/** Sessions that could not be looked for, because no connection succeeded, have ended with their server after this time. */
const MAX_AGE_MS = 600_000;

/** More would only be found again by later statements that fail. */
const MOST = 1000;

interface Abandoned {
  readonly pid: number;
  readonly connectedAt: number;
  readonly since: number;
  finds: number;
}

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
  private readonly sessions = new Map<number, Abandoned>();
  private isRunning = false;
  private unreported = 0;
  private reportedAt = -Infinity;

  /** @param connect opens a connection of its own: all those of the pools may wait for the standby. */
  constructor(
    private readonly connect: () => Promise<Pick<pg.Client, 'query' | 'end'>>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** @param client a client that the pool has removed. */
  add(client: object): void {
    const { processID: pid } = client as { processID?: number | null };
    if (typeof pid !== 'number' || this.sessions.size >= MOST) return;
    const since = performance.now();
    this.sessions.set(pid, { pid, connectedAt: connectedAt.get(client) ?? since, since, finds: 0 });
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.sessions.size > 0) {
      await this.terminate([...this.sessions.values()]).catch(() => null);
      const before = performance.now() - MAX_AGE_MS;
      for (const { pid, since } of this.sessions.values()) if (since < before) this.sessions.delete(pid);
      if (this.sessions.size > 0) await pause(PAUSE_MS);
    }
    this.isRunning = false;
  }

  private async terminate(sessions: readonly Abandoned[]): Promise<void> {
    const client = await this.connect();
    try {
      const now = performance.now();
      const ages = sessions.map((session) => (now - session.connectedAt) / 1000);
      const values = [sessions.map(({ pid }) => pid), ages];
      const { rows } = await client.query<{ pid: number; ended: boolean }>(TERMINATE, values);
      const left = new Set(rows.filter(({ ended }) => !ended).map(({ pid }) => pid));
      for (const session of sessions) {
        session.finds += 1;
        // Another one with its number may have been added meanwhile.
        const isCurrent = this.sessions.get(session.pid) === session;
        if (isCurrent && (!left.has(session.pid) || session.finds >= MAX_FINDS)) this.sessions.delete(session.pid);
      }
      this.report(rows.length - left.size);
    } finally {
      // The server of a lost connection does not respond to the end.
      await Promise.race([client.end(), pause(TIMEOUT_MS)]);
    }
  }

  private report(ended: number): void {
    this.unreported += ended;
    if (this.unreported === 0 || performance.now() - this.reportedAt < LOG_INTERVAL_MS) return;
    this.logger.warn({ sessions: this.unreported }, 'ended sessions that waited for a synchronous standby');
    this.reportedAt = performance.now();
    this.unreported = 0;
  }
}

/** @param url of the primary. @returns what `AbandonedSessions` needs. */
export function connectTo(url: string): () => Promise<pg.Client> {
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, statement_timeout: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  return async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'mintmark', ...limits });
    client.on('error', () => null);
    try {
      await client.connect();
    } catch (error) {
      void client.end().catch(() => null);
      throw error;
    }
    return client;
  };
}

/** Does not keep the process. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
