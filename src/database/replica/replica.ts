import type pg from 'pg';
import type { Logger } from 'pino';
import { isFullPool } from '../connection-pool.js';
import type { ReplicaPools } from '../pool.js';
import { ReplicaWatch, ReplicaUnusableError } from './replica-watch.js';
import { type ServerState, readState } from './server-state.js';

/** The injection token of a `Replica`, or of null without `READ_DATABASE_URL`. */
export const REPLICA = Symbol('REPLICA');

/** How long a read with a substitute waits for a primary that does not count as away. */
const PRIMARY_WAIT_MS = 500;

/** Sessions are not exchanged for this time after all that the pool had were at servers that are behind. */
const SEARCH_INTERVAL_MS = 250;

/** SQLSTATEs that concern one statement and not the server: conflicts with recovery, and privileges. */
const OF_ONE_STATEMENT = /^(40001|40P01|42501|57014)$/;

/** Which server a read was answered by; `fallback` is the primary after the replica failed or had nothing. */
export type ReadServer = 'replica' | 'primary' | 'fallback';

interface Session {
  readonly client: pg.PoolClient;
  readonly state: ServerState;
}

/** The server of `READ_DATABASE_URL`: a standby, a balancer before several, or the primary itself. */
export class Replica {
  readonly reads: Record<ReadServer, number> = { replica: 0, primary: 0, fallback: 0 };

  readonly watch: ReplicaWatch;

  private searchedAt = -Infinity;

  constructor(
    private readonly pools: ReplicaPools,
    logger: Pick<Logger, 'warn' | 'info'>,
  ) {
    const another = async (): Promise<void> => {
      (await this.session()).client.release();
    };
    this.watch = new ReplicaWatch(pools.probe, pools.primaryProbe, another, logger);
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
   * A statement at the replica, in a session whose state was compared before it.
   * @param minimum the position of the log that the server must have replayed.
   * @throws ReplicaUnusableError, or the error of the statement.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  async query<R extends pg.QueryResultRow>(query: pg.QueryConfig, minimum = 0n): Promise<{ readonly rows: R[] }> {
    if (!this.isUsable) throw new ReplicaUnusableError('the replica is not read now');
    const { client, state } = await this.session();
    let broken = false;
    try {
      if (state.position < minimum) throw new ReplicaUnusableError('the replica has not replayed the position yet');
      return await client.query<R>(query);
    } catch (error) {
      broken = isOfServer(error);
      if (broken) this.watch.leaveOut();
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /**
   * Reads what requests that only read depend on, such as API keys: at the primary, or at the replica while the primary is away.
   * What the replica has can be 10 s old.
   */
  async orReplica<T>(atPrimary: () => Promise<T>, atReplica: () => Promise<T>): Promise<T> {
    if (!this.isUsable) return atPrimary();
    if (this.watch.isPrimaryAway) return atReplica().catch(atPrimary);
    const read = atPrimary();
    read.catch(() => null);
    const late = Symbol('late');
    let timer: NodeJS.Timeout | undefined;
    const wait = new Promise<typeof late>((resolve) => (timer = setTimeout(resolve, PRIMARY_WAIT_MS, late)));
    try {
      const found = await Promise.race([read, wait]);
      if (found !== late) return found;
    } catch (error) {
      return await atReplica().catch(() => {
        throw error;
      });
    } finally {
      clearTimeout(timer);
    }
    return atReplica().catch(() => read);
  }

  /**
   * A session whose server may be read: at one that has replayed what the primary had half a second before it was last compared,
   * if the pool has such a session. While a session is held, the pool gives another, which a balancer can have led elsewhere.
   * @throws ReplicaUnusableError, or the error of the connection.
   */
  private async session(): Promise<Session> {
    const session = await this.open();
    const { client, state } = session;
    let reason: unknown = null;
    try {
      this.watch.check(state);
    } catch (error) {
      reason = error;
    }
    const isExchanged = reason !== null || this.isTooOld(state);
    const other = isExchanged && this.hasOther ? await this.session().catch(() => null) : null;
    if (other !== null && (reason !== null || other.state.position >= this.watch.settled)) {
      client.release(true);
      return other;
    }
    if (other !== null) this.searchedAt = performance.now();
    other?.client.release();
    if (reason === null) return session;
    client.release(true);
    throw reason as Error;
  }

  private isTooOld({ position }: ServerState): boolean {
    return position < this.watch.settled && performance.now() - this.searchedAt > SEARCH_INTERVAL_MS;
  }

  private get hasOther(): boolean {
    const { idleCount, totalCount, options } = this.pools.reads;
    return idleCount > 0 || totalCount < options.max;
  }

  private async open(): Promise<Session> {
    const client = await this.connect();
    try {
      return { client, state: await readState(client) };
    } catch (error) {
      const broken = isOfServer(error);
      client.release(broken);
      if (broken) this.watch.leaveOut();
      throw error;
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.pools.reads.connect();
    } catch (error) {
      // The connections can be busy although the server responds, which a probe decides.
      if (isFullPool(error))
        throw new ReplicaUnusableError('no connection to the replica became free', { cause: error });
      this.watch.leaveOut();
      throw error;
    }
  }
}

function isOfServer(error: unknown): boolean {
  if (error instanceof ReplicaUnusableError) return false;
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || !OF_ONE_STATEMENT.test(code);
}
