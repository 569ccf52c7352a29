import type pg from 'pg';

/** The function of PostgreSQL that waits for a synchronous standby. Unlike the text of a notice, its name is not translated. */
const WAIT_ROUTINE = 'SyncRepWaitForLSN';

const cancelled = new WeakSet<object>();

/**
 * Notices commits whose wait for the standby was cancelled, by `pg_cancel_backend` for example. PostgreSQL reports success for them
 * with a warning, although the standby may not have the transaction.
 */
export function watchStandbyNotices(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine === WAIT_ROUTINE) cancelled.add(client);
  });
}

/** Whether a wait of this session was cancelled since the last call. */
export function takeCancelledWait(client: object): boolean {
  return cancelled.delete(client);
}
