import type { Logger } from 'pino';
import { PositionHistory } from './position-history.js';
import { type ServerState, type Sessions, readState } from './server-state.js';

/** A server that is further behind is not read. */
const MAX_LAG_MS = 10_000;

/** The last known lag counts for this time without a response of the primary: longer than a failover. */
const MAX_UNKNOWN_MS = 600_000;

const PROBE_INTERVAL_MS = 1000;

/** Without a sample of this time, the primary counts as away. Two probes, and the time of one. */
const AWAY_MS = 2500;

/** One sample can fail by a network that lost a connection. */
const FAILURES_OF_AWAY = 2;

/** The replica is not read now; the primary is read in its place. */
export class ReplicaUnusableError extends Error {}

/** The replica belongs to another database than the primary. */
export class ForeignReplicaError extends Error {}

/** Compares a replica with the primary once a second, by a connection to each of them. */
export class ReplicaWatch {
  private readonly history = new PositionHistory(MAX_LAG_MS + 2 * PROBE_INTERVAL_MS);
  private primaryState: ServerState | null = null;
  private primaryFailures = 0;
  private isAwake = false;
  private isForeign = false;
  private isSampling = false;
  private isProbing = false;
  private timer: NodeJS.Timeout | null = null;
  private lastLagMs = NaN;
  private probed: { readonly at: number; readonly position: bigint } | null = null;
  /** The least position of a server that was found with a part of the log that the primary does not have. */
  private diverged: bigint | null = null;
  private reported: string | null = null;

  /**
   * @param replica a connection to the replica.
   * @param primary a connection to the primary. The statements of both have short limits.
   * @param another rejects where no other session at the replica can be read: a balancer can lead each to another server.
   */
  constructor(
    private readonly replica: Sessions,
    private readonly primary: Sessions,
    private readonly another: () => Promise<void>,
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

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }

  get isUsable(): boolean {
    return this.isAwake;
  }

  get isPrimaryAway(): boolean {
    return this.primaryFailures >= FAILURES_OF_AWAY || this.primarySilenceMs > AWAY_MS;
  }

  /** By the last probe; NaN where the replica did not respond, and Infinity where more than 12 s. */
  get lagSeconds(): number {
    return this.lastLagMs / 1000;
  }

  /** A position of the primary of half a second or more before the last sample. */
  get settled(): bigint {
    return this.history.settled(PROBE_INTERVAL_MS / 2);
  }

  /**
   * Decides whether a session at the replica may be read.
   * @throws ReplicaUnusableError, ForeignReplicaError
   */
  check(state: ServerState): void {
    const { primaryState: primary } = this;
    if (primary === null) throw new ReplicaUnusableError('the primary was not compared yet');
    if (state.database !== primary.database) {
      this.isForeign = true;
      throw new ForeignReplicaError('READ_DATABASE_URL leads to another database than DATABASE_URL');
    }
    const lag = this.history.lagOf(state.position);
    this.lastLagMs = lag;
    if (state.tableId !== primary.tableId) {
      throw new ReplicaUnusableError('the replica has not replayed the migrations of the primary');
    }
    if (this.isDiverged(state.position, primary.position)) {
      throw new ReplicaUnusableError('the replica has changes that the primary does not have');
    }
    if (this.primarySilenceMs >= MAX_UNKNOWN_MS) {
      throw new ReplicaUnusableError(`the primary has not responded for ${MAX_UNKNOWN_MS / 60_000} minutes`);
    }
    if (lag > MAX_LAG_MS) throw new ReplicaUnusableError(`the replica is more than ${MAX_LAG_MS / 1000} s behind`);
  }

  /** Leaves the replica out until a probe succeeds. */
  leaveOut(): void {
    this.isAwake = false;
    void this.probe();
  }

  private foundDiverged(position: bigint): void {
    const { diverged, primaryState } = this;
    // One that the primary has passed is of an earlier failover.
    const isFirst = diverged === null || (primaryState !== null && primaryState.position >= diverged);
    if (isFirst || position < diverged) this.diverged = position;
  }

  /** True for a server at the position where it diverged, and for one beyond it until the primary has reached that position. */
  private isDiverged(position: bigint, ofPrimary: bigint): boolean {
    if (this.diverged === null) return false;
    return position === this.diverged || (position > this.diverged && ofPrimary < this.diverged);
  }

  private get primarySilenceMs(): number {
    return this.history.last === null ? Infinity : performance.now() - this.history.last.at;
  }

  private async samplePrimary(): Promise<void> {
    if (this.isSampling) return;
    this.isSampling = true;
    // The position is at least that of this time.
    const at = performance.now();
    try {
      const state = await readState(this.primary);
      if (state.inRecovery) throw new Error('the primary is in recovery');
      // What a standby has replayed, its primary had written before.
      const { probed } = this;
      if (probed !== null && probed.at <= at && state.position < probed.position) this.foundDiverged(probed.position);
      this.primaryState = state;
      this.history.add(at, state.position);
      this.primaryFailures = 0;
    } catch {
      this.primaryFailures += 1;
    } finally {
      this.isSampling = false;
    }
  }

  private async checkOrAnother(state: ServerState): Promise<void> {
    try {
      this.check(state);
    } catch (error) {
      if (!(error instanceof ReplicaUnusableError)) throw error;
      await this.another().catch(() => {
        throw error;
      });
    }
  }

  private async probe(): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    try {
      const state = await readState(this.replica);
      this.probed = { at: performance.now(), position: state.position };
      await this.checkOrAnother(state);
      this.isAwake = true;
      if (this.reported !== null) this.logger.info('READ_DATABASE_URL is read again');
      this.reported = null;
    } catch (error) {
      this.isAwake = false;
      if (!(error instanceof ReplicaUnusableError)) this.lastLagMs = NaN;
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
