import type pg from 'pg';
import type { Logger } from 'pino';
import { isFullPool } from '../connection-pool.js';
import type { ReplicaPools } from '../pool.js';
import { ReplicaWatch, ReplicaUnusableError } from './replica-watch.js';
import { readState } from './server-state.js';

/** The injection token of a `Replica`, or of null without `READ_DATABASE_URL`. */
export const REPLICA = Symbol('REPLICA');

/** How long a read with a substitute waits for a primary that does not count as away. */
const PRIMARY_WAIT_MS = 500;

/** SQLSTATEs that concern one statement and not the server: conflicts with recovery, and privileges. */
const OF_ONE_STATEMENT = /^(40001|40P01|42501|57014)$/;

/** Which server a read was answered by; `fallback` is the primary after the replica failed or had nothing. */
export type ReadServer = 'replica' | 'primary' | 'fallback';

/** The server of `READ_DATABASE_URL`: a standby, a balancer before several, or the primary itself. */
export class Replica {
  readonly reads: Record<ReadServer, number> = { replica: 0, primary: 0, fallback: 0 };

  readonly watch: ReplicaWatch;

  constructor(
    private readonly pools: ReplicaPools,
    logger: Pick<Logger, 'warn' | 'info'>,
  ) {
    this.watch = new ReplicaWatch(pools.probe, pools.primaryProbe, logger);
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
    const client = await this.connect();
    let broken = false;
    try {
      const state = await readState(client);
      this.watch.check(state);
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
   * @param atReplica statements by `settledQuery`.
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

  /** A statement at a server that has replayed what the primary had half a second before it was last compared. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  settledQuery<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<{ readonly rows: R[] }> {
    return this.query<R>(query, this.watch.settled);
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
