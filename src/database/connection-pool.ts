import pg from 'pg';
import type { ServerSessions } from './server-sessions.js';
import { timeStatements } from './statement-times.js';

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

/** Of a connection that the server rejects because its limit, or that of the role or the database, is reached. */
const TOO_MANY_SESSIONS = '53300';

/** After this time without a rejection, a pool may open as many sessions as before. */
const LOWERED_MS = 10_000;

/** Between two attempts of a pool that has no session. */
const PAUSE_MS = 50;

/** A pool that tells a full pool from a database that does not respond. */
export class ConnectionPool extends pg.Pool {
  /** The sessions that the pool may open, unless the server rejects them. */
  readonly size: number;
  /** Called with the seconds of each statement that has ended. */
  statementEnded: (seconds: number) => void = () => {};
  private lastCompletion = -Infinity;
  private raising: NodeJS.Timeout | undefined;

  /** @param sessions null where a rejected session is an error. */
  constructor(
    settings: pg.PoolConfig,
    readonly sessions: ServerSessions | null = null,
  ) {
    super(settings);
    this.size = this.options.max;
    this.on('connect', (client) => {
      timeStatements(client, (seconds) => {
        this.statementEnded(seconds);
      });
      client.on('drain', () => {
        this.lastCompletion = performance.now();
      });
    });
    sessions?.add(this);
  }

  /** Where the server admits no further session, the call waits for one that the pool has. @throws PoolBusyError */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      this.connectWithin(callback, performance.now(), this.options.connectionTimeoutMillis);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.connect((error, client) => {
        if (client === undefined) reject(error ?? new Error('no connection'));
        else resolve(client);
      });
    });
  }

  /** Closes one session, in its turn among those who wait for one, and opens no other one in its place. */
  async giveUpSession(): Promise<void> {
    this.lower(this.totalCount - 1);
    const client = await this.connect();
    // Without an error: the session is not broken.
    void (client as unknown as pg.Client).end().catch(() => null);
    client.release();
  }

  private connectWithin(callback: Connected, since: number, leftMs: number | undefined): void {
    const { connectionTimeoutMillis: limitMs } = this.options;
    // `pg.Pool` reads it during the call.
    this.options.connectionTimeoutMillis = leftMs;
    super.connect((error, client, done) => {
      if (error === undefined || this.sessions === null || !isSessionRejected(error)) {
        callback(error === undefined ? undefined : this.reasonOf(error, since), client, done);
        return;
      }
      this.lower(this.totalCount);
      this.sessions.rejected(this);
      const pauseMs = this.totalCount === 0 ? PAUSE_MS : 0;
      const left = limitMs === undefined ? undefined : Math.ceil(since + limitMs - performance.now() - pauseMs);
      if (left !== undefined && left <= 0) callback(error, undefined, done);
      else {
        setTimeout(() => {
          this.connectWithin(callback, since, left);
        }, pauseMs);
      }
    });
    this.options.connectionTimeoutMillis = limitMs;
  }

  /** Whether the server has rejected a session in the last `LOWERED_MS`. */
  get isLowered(): boolean {
    return this.options.max < this.size;
  }

  private lower(max: number): void {
    this.options.max = Math.max(1, max);
    clearTimeout(this.raising);
    this.raising = setTimeout(() => (this.options.max = this.size), LOWERED_MS).unref();
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

/** Whether the server rejected a connection because its limit, or that of the role or the database, is reached. */
export function isSessionRejected(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === TOO_MANY_SESSIONS;
}
