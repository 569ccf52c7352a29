import pg from 'pg';
import { timeStatements } from './statement-times.js';

/** The message of `pg` when no connection became free in time because the pool was full. */
const WAITED_IN_VAIN = 'timeout exceeded when trying to connect';

/** No connection became free in time, although the database completed statements on the connections in use. */
export class PoolBusyError extends Error {
  readonly code = 'POOL_BUSY';
}

/** Whether an error says that no connection became free in time because the pool was full. */
export function isFullPool(error: unknown): boolean {
  return error instanceof PoolBusyError || (error instanceof Error && error.message === WAITED_IN_VAIN);
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** SQLSTATE of a connection that exceeds the limit of the server, the role or the database. */
const TOO_MANY_SESSIONS = '53300';

/** Time after the last rejection until a pool can again open all its sessions. */
const LOWERED_MS = 10_000;

/** Pause between attempts of a pool that has no session. */
const PAUSE_MS = 50;

/** A pool that distinguishes a full pool from a database that does not respond. */
export class ConnectionPool extends pg.Pool {
  /** Maximum number of sessions while the server rejects none. */
  readonly size: number;
  /** Called with the duration in seconds of each completed statement. */
  statementEnded: (seconds: number) => void = () => {};
  private lastCompletion = -Infinity;
  private raising: NodeJS.Timeout | undefined;

  /** @param sessions null for a pool that reports a rejected session as an error. */
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

  /**
   * Returns a connection. If the server admits no further session, waits until a connection of the pool is free.
   * @throws PoolBusyError if no connection became free although statements were completed; otherwise the error of `pg`: no statement was
   * completed either (`isFullPool`), no session was admitted in time (`isSessionRejected`), or the connection failed.
   */
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

  /** Closes a session after the requests that already wait for one, and opens no other session in its place. */
  async giveUpSession(): Promise<void> {
    this.lower(this.totalCount - 1);
    const client = await this.connect();
    // Released without an error, because the session is not broken.
    void (client as unknown as pg.Client).end().catch(() => null);
    client.release();
  }

  private connectWithin(callback: Connected, since: number, leftMs: number | undefined): void {
    const { connectionTimeoutMillis: limitMs } = this.options;
    // `pg.Pool` reads this option during the call.
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

  get isLowered(): boolean {
    return this.options.max < this.size;
  }

  private lower(max: number): void {
    this.options.max = Math.max(1, max);
    clearTimeout(this.raising);
    this.raising = setTimeout(() => (this.options.max = this.size), LOWERED_MS).unref();
  }

  /** Whether the database has completed a statement on a connection of the pool since a time of `performance.now`. */
  completedSince(time: number): boolean {
    return this.lastCompletion >= time;
  }

  private reasonOf<T>(error: T, since: number): T | PoolBusyError {
    if (!isFullPool(error) || !this.completedSince(since)) return error;
    return new PoolBusyError('no database connection became free in time', { cause: error });
  }
}

/** Runs work in a session of a pool. If the work throws, the session is closed, because its state is unknown. */
export async function inSession<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isSound = false;
  try {
    const result = await work(client);
    isSound = true;
    return result;
  } finally {
    client.release(!isSound);
  }
}

export function isSessionRejected(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === TOO_MANY_SESSIONS;
}

/** Time without a rejected session after which a shortage has ended. */
const SHORTAGE_MS = 60_000;

/** Delay of the report after the first rejection; by then the sessions that the server admits are open. */
const REPORT_AFTER_MS = 1000;

interface Shortage {
  readonly sessions: number;
  readonly needed: number;
}

/** The pools of one server. They share the sessions that the server admits. */
export class ServerSessions {
  private readonly pools: ConnectionPool[] = [];
  private open = 0;
  private mostOpen = 0;
  private rejectedAt = -Infinity;
  private isFreeing = false;

  constructor(private readonly report: (shortage: Shortage) => void) {}

  add(pool: ConnectionPool): void {
    this.pools.push(pool);
    pool.on('connect', () => {
      this.open += 1;
      this.mostOpen = Math.max(this.mostOpen, this.open);
    });
    pool.on('remove', () => (this.open -= 1));
  }

  /** Null if the server has rejected no session for a minute. */
  get shortage(): Shortage | null {
    if (performance.now() - this.rejectedAt > SHORTAGE_MS) return null;
    return { sessions: this.mostOpen, needed: this.pools.reduce((sum, { size }) => sum + size, 0) };
  }

  /** Called when the server has rejected a session of a pool. A pool without sessions gets one from another pool. */
  rejected(pool: ConnectionPool): void {
    const isNew = this.shortage === null;
    this.rejectedAt = performance.now();
    if (isNew) {
      this.mostOpen = this.open;
      setTimeout(() => {
        if (this.shortage !== null) this.report(this.shortage);
      }, REPORT_AFTER_MS).unref();
    }
    if (pool.totalCount > 0 || this.isFreeing) return;
    const giver = this.pools
      .filter(({ totalCount, idleCount }) => totalCount > 1 || idleCount > 0)
      .sort((a, b) => b.totalCount - a.totalCount)[0];
    if (giver === undefined) return;
    this.isFreeing = true;
    void giver
      .giveUpSession()
      .catch(() => null)
      .finally(() => (this.isFreeing = false));
  }
}

export function describeShortage({ sessions, needed }: Shortage): string {
  return `The database admits ${sessions} sessions of this service, which can use ${needed}, so that requests wait for each other: raise CONNECTION LIMIT of the role and the database, or max_connections, or lower DATABASE_POOL_SIZE.`;
}
