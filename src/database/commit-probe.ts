import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import pg from 'pg';
import { CommitWatch, acknowledged } from './commit-watch.js';
import { inSession } from './connection-pool.js';
import { PROBE_POOL } from './pool.js';

const INTERVAL_MS = 2000;

/** Writes a WAL record and no row. Its commit waits like the commit of a mint. */
const PROBE = "SELECT pg_logical_emit_message(true, 'mintmark', '')";

/** The longest timeout of Node.js. The wait ends when the commit is acknowledged or the session is lost. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** SQL that identifies a session across servers. */
export const SESSION_NAME = "concat_ws(' ', pid, extract(epoch FROM backend_start))";

const OWN_SESSION = `SELECT ${SESSION_NAME} AS session FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/**
 * Sends a write that shows whether commits complete. The probe keeps its one connection while the commit waits, because each dropped
 * connection would leave a session that waits for the standby.
 */
@Injectable()
export class CommitProbe implements OnModuleDestroy {
  private waiting: { readonly session: string; readonly giveUp: (reason: Error) => void } | null = null;
  private sending = false;
  private sentAt = -Infinity;

  constructor(
    @Inject(PROBE_POOL) private readonly pool: pg.Pool,
    private readonly commits: CommitWatch,
  ) {}

  /** The `SESSION_NAME` of the session whose commit waits, or null. */
  get waitingSession(): string | null {
    return this.waiting?.session ?? null;
  }

  /** Sends a probe, unless one is in progress or was sent within `INTERVAL_MS`. Its errors are ignored. */
  send(): void {
    if (this.sending || performance.now() - this.sentAt < INTERVAL_MS) return;
    this.sending = true;
    this.sentAt = performance.now();
    void this.run()
      .catch(() => null)
      .finally(() => (this.sending = false));
  }

  /** Drops a probe whose connection is lost, because its session no longer exists on the server. */
  abandon(session: string): void {
    if (this.waiting?.session !== session) return;
    this.sentAt = -Infinity;
    this.waiting.giveUp(new Error('the session of the probe is lost'));
  }

  onModuleDestroy(): void {
    if (this.waiting !== null) this.abandon(this.waiting.session);
  }

  private async run(): Promise<void> {
    await inSession(this.pool, async (client) => {
      const { rows } = await client.query<{ session: string }>(OWN_SESSION);
      const lost = new Promise<never>((_, giveUp) => (this.waiting = { session: rows[0]?.session ?? '', giveUp }));
      const query = { text: PROBE, query_timeout: NO_TIMEOUT_MS } as pg.QueryConfig;
      await this.commits.watch(() => Promise.race([acknowledged(client, client.query(query)), lost]), true);
    }).finally(() => (this.waiting = null));
  }
}
