import type pg from 'pg';
import type { Logger } from 'pino';

/**
 * $1: process numbers; $2: seconds since each session connected. Ages are compared because another session can have the same process number
 * after a failover; the tolerance covers clocks that drift by up to 1 %.
 */
const TERMINATE = `
  SELECT a.pid, CASE WHEN a.wait_event = 'SyncRep' THEN pg_terminate_backend(a.pid) ELSE false END AS ended
  FROM unnest($1::int[], $2::float8[]) AS w(pid, age) JOIN pg_stat_activity a USING (pid)
  WHERE a.usename = current_user
    AND abs(extract(epoch FROM clock_timestamp() - a.backend_start) - w.age) < 5 + w.age / 100`;

const PAUSE_MS = 1000;

/** The statement shares a pool with probes, which must not wait long. */
const LIMIT_MS = 2000;

const LOG_INTERVAL_MS = 60_000;

/** Older sessions are forgotten, because they have ended by their own limits or with their server. */
const MAX_AGE_MS = 600_000;

/** Maximum number of sessions to remember. Further sessions are not ended. */
const MOST = 1000;

const connectedAt = new WeakMap<object, number>();

/** Records when a session connected. `AbandonedSessions` compares the age with that of the server process. */
export function noteConnected(client: object): void {
  connectedAt.set(client, performance.now());
}

/**
 * Ends, on the server, sessions that the pool dropped while they waited for a synchronous standby. PostgreSQL does not detect the lost
 * client during that wait, so these sessions would accumulate until no connection is left for reads.
 */
export class AbandonedSessions {
  private readonly sessions = new Map<number, { readonly connectedAt: number; readonly since: number }>();
  private isRunning = false;
  private unreported = 0;
  private reportedAt = -Infinity;

  /** @param pool returns a pool with a connection that never waits for a standby. */
  constructor(
    private readonly pool: () => Pick<pg.Pool, 'query'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

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
      if (this.sessions.size > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    this.isRunning = false;
  }

  private async terminate(sought: AbandonedSessions['sessions']): Promise<void> {
    const ages = [...sought.values()].map((session) => (performance.now() - session.connectedAt) / 1000);
    const query = { text: TERMINATE, values: [[...sought.keys()], ages], query_timeout: LIMIT_MS };
    const { rows } = await this.pool().query<{ pid: number; ended: boolean }>(query);
    const left = new Set(rows.filter(({ ended }) => !ended).map(({ pid }) => pid));
    for (const [pid, session] of sought) {
      // A newer session may have been added under the same process number.
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
