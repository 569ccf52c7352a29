import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartupError } from '../config/startup-error.js';

/** How long a start waits for a server that accepts writes; a failover of a cluster takes less. */
const WAIT_MS = 60_000;

const PAUSE_MS = 1000;

/** Columns that `reasonAgainstWrites` evaluates. */
export const WRITE_STATE = `pg_is_in_recovery() AS "inRecovery", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

export interface WriteState {
  readonly inRecovery: boolean;
  readonly isReadOnly: boolean;
}

export const IN_RECOVERY = 'The database server is in recovery (a standby), which accepts no writes.';

/** Returns why a server accepts no writes, or null if it accepts them. */
export function reasonAgainstWrites({ inRecovery, isReadOnly }: WriteState): string | null {
  if (inRecovery) return IN_RECOVERY;
  return isReadOnly
    ? 'The database is read-only (default_transaction_read_only is on), so that writes are rejected.'
    : null;
}

export interface WaitOptions {
  /** Maximum wait while the server is in recovery or read-only. */
  readonly waitMs?: number;
  /** Called once, before the wait, with the reason for the wait. */
  readonly onWait?: (reason: string) => void;
}

/**
 * Connects to a server that accepts writes. Each attempt opens a new connection, because a proxy may lead to another server.
 * @throws StartupError after the wait, or the error of the first attempt if it cannot connect.
 */
export async function connectForWriting(
  connect: () => Promise<pg.Client>,
  { waitMs = WAIT_MS, onWait = () => {} }: WaitOptions,
): Promise<pg.Client> {
  const deadline = performance.now() + waitMs;
  let reason: string | null = null;
  for (;;) {
    let session: pg.Client | undefined;
    try {
      session = await connect();
      const { rows } = await session.query<WriteState>(`SELECT ${WRITE_STATE}`);
      const found = rows[0] === undefined ? null : reasonAgainstWrites(rows[0]);
      if (found === null) return session;
      if (reason === null) onWait(found);
      reason = found;
      await session.end();
    } catch (error) {
      await session?.end();
      if (reason === null) throw error;
    }
    if (performance.now() >= deadline) {
      throw new StartupError(
        `${reason} No server that accepts writes was reached within ${waitMs / 1000} s. Correct the host and the port in DATABASE_URL, or let the cluster elect a primary.`,
      );
    }
    await pause(Math.min(PAUSE_MS, waitMs));
  }
}
