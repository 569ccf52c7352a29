import type pg from 'pg';
import type { Logger } from 'pino';
import { PositionHistory } from './position-history.js';
import { type ServerState, type Sessions, readState } from './server-state.js';

/** The injection token of a `Replica`, or of null without `READ_DATABASE_URL`. */
export const REPLICA = Symbol('REPLICA');

/** A server that is further behind is not read. */
const MAX_LAG_MS = 10_000;

/** The last known lag counts for this time without a response of the primary: longer than a failover. */
const MAX_UNKNOWN_MS = 600_000;

const PROBE_INTERVAL_MS = 1000;

/** Without a sample of this time, the primary counts as away. Two probes, and the time of one. */
const AWAY_MS = 2500;

/** How long a read with a substitute waits for a primary that does not count as away. */
const PRIMARY_WAIT_MS = 500;

/** SQLSTATEs that concern one statement and not the server: conflicts with recovery, and privileges. */
const OF_ONE_STATEMENT = /^(40001|40P01|42501|57014)$/;

/** The replica is not read now; the primary is read in its place. */
export class ReplicaUnusableError extends Error {}

/** The replica belongs to another database than the primary. */
export class ForeignReplicaError extends Error {}

/** Which server a read was answered by; `fallback` is the primary after the replica failed or had nothing. */
export type ReadServer = 'replica' | 'primary' | 'fallback';

/** The server of `READ_DATABASE_URL`: a standby, a balancer before several, or the primary itself. */
export class Replica {
  readonly reads: Record<ReadServer, number> = { replica: 0, primary: 0, fallback: 0 };
  private readonly history = new PositionHistory(MAX_LAG_MS + 2 * PROBE_INTERVAL_MS);
  private registry: string | null = null;
  private isAwake = false;
  private isForeign = false;
  private isSampling = false;
  private isProbing = false;
  private timer: NodeJS.Timeout | null = null;
  private primaryFailed = false;
  private lastLagMs = NaN;
  private reported: string | null = null;

  /**
   * @param pool the sessions at the replica.
   * @param primary a pool whose statements have short limits.
   */
  constructor(
    private readonly pool: pg.Pool,
    private readonly primary: Sessions,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  /** Begins to compare both servers. @throws ForeignReplicaError; an unreachable replica is a warning. */
  async start(): Promise<void> {
    this.timer = setInterval(() => {
      void this.samplePrimary();
      void this.probe();
    }, PROBE_INTERVAL_MS).unref();
    await this.samplePrimary();
    await this.probe();
    if (this.reported !== null && this.isForeign) throw new ForeignReplicaError(this.reported);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.pool.end();
  }

  get isUsable(): boolean {
    return this.isAwake && this.primarySilenceMs < MAX_UNKNOWN_MS;
  }

  get isPrimaryAway(): boolean {
    return this.primaryFailed || this.primarySilenceMs > AWAY_MS;
  }

  /** By the last probe; NaN where the replica did not respond. */
  get lagSeconds(): number {
    return this.lastLagMs / 1000;
  }

  /**
   * A statement at the replica, in a session whose state was compared before it.
   * @param minimum the position of the log that the server must have replayed.
   * @throws ReplicaUnusableError, or the error of the statement.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the columns, as with `pg`.
  async query<R extends pg.QueryResultRow>(query: pg.QueryConfig, minimum = 0n): Promise<{ readonly rows: R[] }> {
    if (!this.isUsable) throw new ReplicaUnusableError('the replica is not read now');
    const client = await this.pool.connect().catch((error: unknown) => {
      throw this.failed(error);
    });
    let broken = false;
    try {
      const { position } = this.checked(await readState(client));
      if (position < minimum) throw new ReplicaUnusableError('the replica has not replayed the position yet');
      return await client.query<R>(query);
    } catch (error) {
      broken = isOfServer(error);
      throw this.failed(error);
    } finally {
      client.release(broken);
    }
  }

  /**
   * Reads what reads depend on, such as API keys: at the primary, or at the replica while the primary is away.
   * @param atReplica statements whose `minimum` is `settled`.
   */
  async orReplica<T>(atPrimary: () => Promise<T>, atReplica: () => Promise<T>): Promise<T> {
    if (!this.isUsable) return atPrimary();
    if (this.isPrimaryAway) return atReplica().catch(atPrimary);
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

  /** A position of the primary of a second before the last sample. */
  get settled(): bigint {
    return this.history.before(PROBE_INTERVAL_MS / 2);
  }

  private get primarySilenceMs(): number {
    return this.history.last === null ? Infinity : performance.now() - this.history.last.at;
  }

  private checked(state: ServerState): ServerState {
    if (this.registry !== null && state.registry !== this.registry) {
      this.isForeign = true;
      throw new ForeignReplicaError('READ_DATABASE_URL leads to another database than DATABASE_URL');
    }
    const lag = this.history.lagOf(state.position);
    this.lastLagMs = lag;
    if (lag > MAX_LAG_MS) {
      this.isAwake = false;
      throw new ReplicaUnusableError(`the replica is ${Math.round(lag / 1000)} s behind`);
    }
    return state;
  }

  /** Leaves the replica out after an error of the server, until a probe succeeds. */
  private failed(error: unknown): unknown {
    if (isOfServer(error)) {
      this.isAwake = false;
      void this.probe();
    }
    return error;
  }

  private async samplePrimary(): Promise<void> {
    if (this.isSampling) return;
    this.isSampling = true;
    // The position is at least that of this time.
    const at = performance.now();
    try {
      const { position, registry } = await readState(this.primary);
      this.registry = registry;
      this.history.add(at, position);
      this.primaryFailed = false;
    } catch {
      this.primaryFailed = true;
    } finally {
      this.isSampling = false;
    }
  }

  private async probe(): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    try {
      this.checked(await readState(this.pool));
      this.isAwake = this.registry !== null;
      if (this.reported !== null) this.logger.info('READ_DATABASE_URL is read again');
      this.reported = null;
    } catch (error) {
      this.isAwake = false;
      if (isOfServer(error)) this.lastLagMs = NaN;
      const reason = error instanceof Error ? error.message : String(error);
      if (this.reported === null) {
        this.logger.warn({ reason }, 'READ_DATABASE_URL is not read until it can be; the primary is read in its place');
      }
      this.reported = reason;
    } finally {
      this.isProbing = false;
    }
  }
}

function isOfServer(error: unknown): boolean {
  if (error instanceof ReplicaUnusableError) return false;
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || !OF_ONE_STATEMENT.test(code);
}
