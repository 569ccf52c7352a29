import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

/** $1: process numbers. Ends sessions that wait for a standby; those that wait for something else end by their own limits. */
const TERMINATE = `
  SELECT a.pid, CASE WHEN a.wait_event = 'SyncRep' THEN pg_terminate_backend(a.pid) ELSE false END AS ended
  FROM pg_stat_activity a WHERE a.pid = ANY($1::int[]) AND a.usename = current_user`;

const TIMEOUT_MS = 2000;
const PAUSE_MS = 1000;
const MAX_ATTEMPTS = 15;

/** More would only be found again by later statements that fail. */
const MOST = 1000;

/**
 * Ends sessions on the server that the pool has given up while they waited for a synchronous standby. PostgreSQL does not notice
 * there that the client is gone, so they would add up until no read finds a connection. Their transactions are committed on the
 * server, and their outcome was reported as unknown.
 */
export class AbandonedSessions {
  private readonly pids = new Set<number>();
  private attempts = 0;
  private isRunning = false;

  constructor(
    private readonly url: string,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** @param client a client that the pool has removed. */
  add(client: object): void {
    const { processID } = client as { processID?: number | null };
    if (typeof processID !== 'number' || this.pids.size >= MOST) return;
    this.pids.add(processID);
    this.attempts = 0;
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.pids.size > 0 && this.attempts < MAX_ATTEMPTS) {
      this.attempts += 1;
      await this.terminate([...this.pids]).catch(() => null);
      if (this.pids.size > 0) await pause(PAUSE_MS, undefined, { ref: false });
    }
    this.pids.clear();
    this.isRunning = false;
  }

  /** A connection of its own: all those of the pools may wait for the standby. */
  private async terminate(pids: readonly number[]): Promise<void> {
    const limits = { connectionTimeoutMillis: TIMEOUT_MS, statement_timeout: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
    const client = new pg.Client({ connectionString: this.url, application_name: 'mintmark', ...limits });
    client.on('error', () => null);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number; ended: boolean }>(TERMINATE, [pids]);
      const left = new Set(rows.filter(({ ended }) => !ended).map(({ pid }) => pid));
      for (const pid of pids) if (!left.has(pid)) this.pids.delete(pid);
      const ended = rows.length - left.size;
      if (ended > 0) this.logger.warn({ sessions: ended }, 'ended sessions that waited for a synchronous standby');
    } finally {
      await client.end();
    }
  }
}
