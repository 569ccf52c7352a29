import pg from 'pg';

/** The message of `pg` for a request that waited for a connection in vain, because the pool was full. */
const WAITED_IN_VAIN = 'timeout exceeded when trying to connect';

/** No connection became free in time, although the database completed statements on the connections in use. */
export class PoolBusyError extends Error {
  readonly code = 'POOL_BUSY';
}

/** Whether a request for a connection waited in vain, because the pool was full. */
export function isFullPool(error: unknown): boolean {
  return error instanceof PoolBusyError || (error instanceof Error && error.message === WAITED_IN_VAIN);
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** A pool that tells a full pool from a database that does not respond. */
export class ConnectionPool extends pg.Pool {
  private lastCompletion = -Infinity;

  constructor(settings: pg.PoolConfig) {
    super(settings);
    this.on('connect', (client) => {
      client.on('drain', () => {
        this.lastCompletion = performance.now();
      });
    });
  }

  /** @throws PoolBusyError */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const since = performance.now();
    if (callback === undefined) {
      return super.connect().catch((error: unknown) => {
        throw this.reasonOf(error, since);
      });
    }
    super.connect((error, client, done) => {
      callback(error === undefined ? undefined : this.reasonOf(error, since), client, done);
    });
    return undefined;
  }

  /** Whether the database has completed a statement on a connection of the pool since a time, as `performance.now`. */
  completedSince(time: number): boolean {
    return this.lastCompletion >= time;
  }

  private reasonOf<T>(error: T, since: number): T | PoolBusyError {
    if (!isFullPool(error) || !this.completedSince(since)) return error;
    return new PoolBusyError('no database connection became free in time', { cause: error });
  }
}
