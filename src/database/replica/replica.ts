import type pg from 'pg';
import type { Logger } from 'pino';
import { isFullPool } from '../connection-pool.js';
import type { ReplicaPools } from '../pool.js';
import { ReplicaWatch, ReplicaUnusableError } from './replica-watch.js';
import { type ServerState, readState, requireReadable } from './server-state.js';

/** Injects a `Replica`, or null without `READ_DATABASE_URL`. */
export const REPLICA = Symbol('REPLICA');

/** Time for which no session is exchanged after all sessions of the pool were found to be behind. */
const SEARCH_INTERVAL_MS = 250;

interface Session {
  readonly client: pg.PoolClient;
  readonly state: ServerState;
}

/** The server of `READ_DATABASE_URL`: a standby, a load balancer for several, or the primary itself. */
export class Replica {
  /** Number of reads of records by each server; `fallback` counts reads of the primary after the replica failed or had no row. */
  readonly reads = { replica: 0, primary: 0, fallback: 0 };
  readonly watch: ReplicaWatch;
  private searchedAt = -Infinity;

  constructor(
    private readonly pools: ReplicaPools,
    logger: Pick<Logger, 'warn' | 'info'>,
  ) {
    const state = () => this.use(({ client, state }) => requireReadable(client).then(() => state));
    this.watch = new ReplicaWatch(pools.primaryProbe, state, logger);
  }

  async stop(): Promise<void> {
    this.watch.stop();
    await Promise.all(Object.values(this.pools).map((pool) => pool.end()));
  }

  get isUsable(): boolean {
    return this.watch.isUsable;
  }

  get lagSeconds(): number {
    return this.watch.lagSeconds;
  }

  /**
   * Runs a statement at the replica, in a session whose state was compared just before.
   * @param minimum the position of the log that the server must have replayed.
   * @throws ReplicaUnusableError, or the error of the connection or the statement.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  async query<R extends pg.QueryResultRow>(query: pg.QueryConfig, minimum = 0n): Promise<{ readonly rows: R[] }> {
    if (!this.isUsable) throw new ReplicaUnusableError('the replica is not read now');
    try {
      return await this.use(({ client, state }) => {
        if (state.position >= minimum) return client.query<R>(query);
        throw new ReplicaUnusableError('the replica has not replayed the position yet');
      });
    } catch (error) {
      if (!(error instanceof ReplicaUnusableError) && !isFullPool(error)) this.watch.leaveOut();
      throw error;
    }
  }

  private async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.session();
    let failure: unknown;
    try {
      return await work(session);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      session.client.release(failure !== undefined && !(failure instanceof ReplicaUnusableError));
    }
  }

  /**
   * Returns a session whose server may be read, preferably one that has replayed the `settled` position. The search holds one session while
   * it takes another from the pool, because a load balancer can lead sessions to different servers.
   */
  private async session(): Promise<Session> {
    const session = await this.open();
    const { client, state } = session;
    const reason = this.watch.reasonAgainst(state);
    const isSought = reason !== null || this.isTooOld(state);
    const other = isSought && this.hasOther ? await this.session().catch(() => null) : null;
    if (other !== null && (reason !== null || other.state.position >= this.watch.settled)) {
      client.release(true);
      return other;
    }
    if (other !== null) this.searchedAt = performance.now();
    other?.client.release();
    if (reason === null) return session;
    client.release(true);
    throw new ReplicaUnusableError(reason);
  }

  private isTooOld({ position }: ServerState): boolean {
    return position < this.watch.settled && performance.now() - this.searchedAt > SEARCH_INTERVAL_MS;
  }

  private get hasOther(): boolean {
    const { idleCount, totalCount, options } = this.pools.reads;
    return idleCount > 0 || totalCount < options.max;
  }

  private async open(): Promise<Session> {
    const client = await this.pools.reads.connect();
    try {
      return { client, state: await readState(client) };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}
