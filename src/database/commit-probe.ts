import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import pg from 'pg';
import { CommitWatch, acknowledged } from './commit-watch.js';
import { PROBE_POOL } from './pool.js';

/** Minimum time between two probes. */
const INTERVAL_MS = 2000;

/** Writes a record of the log and no row, so that its commit waits as that of a mint does. */
const PROBE = "SELECT pg_logical_emit_message(true, 'mintmark', '')";

/** The longest timeout of Node.js: the wait ends when the commit is acknowledged or the session is lost. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Names a session so that no other server has one with this name. */
export const SESSION_NAME = "concat_ws(' ', pid, extract(epoch FROM backend_start))";

const OWN_SESSION = `SELECT ${SESSION_NAME} AS session FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

/**
 * Sends a write that shows whether commits are completed. Its one connection is kept while the commit waits: a connection
 * that is given up would leave a session that waits for the standby, and the next one another.
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

  /** The `SESSION_NAME` of the session whose commit waits; null where none does. */
  get waitingSession(): string | null {
    return this.waiting?.session ?? null;
  }

  /** Sends a probe, if none is under way and the last one was not sent just now. Its errors are those of the database. */
  send(): void {
    if (this.sending || performance.now() - this.sentAt < INTERVAL_MS) return;
    this.sending = true;
    this.sentAt = performance.now();
    void this.run()
      .catch(() => null)
      .finally(() => (this.sending = false));
  }

  /** Gives up a probe whose session the server does not have: it waits on a lost connection. */
  abandon(session: string): void {
    if (this.waiting?.session !== session) return;
    this.sentAt = -Infinity;
    this.waiting.giveUp(new Error('the session of the probe is lost'));
  }

  onModuleDestroy(): void {
    if (this.waiting !== null) this.abandon(this.waiting.session);
  }

  private async run(): Promise<void> {
    const client = await this.pool.connect();
    let isSound = false;
    try {
      const { rows } = await client.query<{ session: string }>(OWN_SESSION);
      const lost = new Promise<never>((_, giveUp) => (this.waiting = { session: rows[0]?.session ?? '', giveUp }));
      const query = { text: PROBE, query_timeout: NO_TIMEOUT_MS } as pg.QueryConfig;
      await this.commits.watch(() => Promise.race([acknowledged(client, client.query(query)), lost]), true);
      isSound = true;
    } finally {
      this.waiting = null;
      client.release(!isSound);
    }
  }
}
