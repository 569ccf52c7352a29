import type { Logger } from 'pino';
import { StartupError } from '../../config/startup-error.js';
import { isFullPool } from '../connection-pool.js';
import { PositionHistory } from './position-history.js';
import { type ServerState, type Sessions, readState } from './server-state.js';

/** A replica that is further behind is not read. */
const MAX_LAG_MS = 10_000;

/** How long the last known lag counts while the primary does not respond. A failover takes less. */
const MAX_UNKNOWN_MS = 600_000;

const PROBE_INTERVAL_MS = 1000;

/** Time without a sample after which the primary counts as away: two probe intervals and the duration of a probe. */
const AWAY_MS = 2500;

/** Number of failed samples after which the primary counts as away. A single sample can fail because of a lost connection. */
const FAILURES_OF_AWAY = 2;

const FOREIGN = 'READ_DATABASE_URL leads to another database than DATABASE_URL';

/** The replica cannot be read now; the primary is read instead. */
export class ReplicaUnusableError extends Error {}

/** Compares a replica with the primary once a second. */
export class ReplicaWatch {
  isUsable = false;
  private readonly history = new PositionHistory(MAX_LAG_MS + 2 * PROBE_INTERVAL_MS);
  private primaryState: ServerState | null = null;
  private primaryFailures = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Lag at the last comparison: NaN if the replica did not respond, Infinity above 12 s. */
  lagSeconds = NaN;
  private probed: { readonly at: number; readonly position: bigint } | null = null;
  /** The lowest log position at which a server was found to have changes that the primary lacks. */
  private diverged: bigint | null = null;
  private reported: string | null = null;

  /** @param replicaState reads the state of a replica session whose server and tables may be read now; rejects if there is none. */
  constructor(
    private readonly primary: Sessions,
    private readonly replicaState: () => Promise<ServerState>,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  /** Starts comparing the servers. @throws StartupError for a replica of another database. An unreachable replica is logged. */
  async start(): Promise<void> {
    this.timer = setInterval(() => {
      void this.samplePrimary();
      void this.probe();
    }, PROBE_INTERVAL_MS).unref();
    await this.samplePrimary();
    await this.probe();
    if (this.reported === FOREIGN) throw new StartupError(`${FOREIGN}.`);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  get isPrimaryAway(): boolean {
    return this.primaryFailures >= FAILURES_OF_AWAY || this.primarySilenceMs > AWAY_MS;
  }

  /** A position of the primary from about a second before the last sample. */
  get settled(): bigint {
    return this.history.settled;
  }

  /** Returns the reason not to read from a session at the replica, or null. */
  reasonAgainst(state: ServerState): string | null {
    const { primaryState: primary } = this;
    if (primary === null) return 'the primary was not compared yet';
    if (state.database !== primary.database) return FOREIGN;
    const lag = this.history.lagOf(state.position);
    this.lagSeconds = lag / 1000;
    if (state.tableId !== primary.tableId) return 'the replica has not replayed the migrations of the primary';
    if (this.isDiverged(state.position, primary.position)) {
      return 'the replica has changes that the primary does not have';
    }
    if (this.primarySilenceMs >= MAX_UNKNOWN_MS) {
      return `the primary has not responded for ${MAX_UNKNOWN_MS / 60_000} minutes`;
    }
    return lag > MAX_LAG_MS ? `the replica is more than ${MAX_LAG_MS / 1000} s behind` : null;
  }

  leaveOut(): void {
    this.isUsable = false;
    void this.probe();
  }

  private get primarySilenceMs(): number {
    return performance.now() - this.history.lastAt;
  }

  /** Whether a server is at the position of a divergence, or is beyond it while the primary has not reached it. */
  private isDiverged(position: bigint, ofPrimary: bigint): boolean {
    if (this.diverged === null) return false;
    return position === this.diverged || (position > this.diverged && ofPrimary < this.diverged);
  }

  private readonly samplePrimary = alone(async () => {
    // The time is read before the query, so that the position is not older than this time.
    const at = performance.now();
    try {
      const state = await readState(this.primary);
      if (state.inRecovery) throw new Error('the primary is in recovery');
      // A standby replays only what its primary wrote earlier, so a lower position of the primary shows a divergence.
      const { probed, diverged } = this;
      if (probed !== null && probed.at <= at && state.position < probed.position) {
        // A divergence that the primary has passed is from an earlier failover.
        const isFirst = diverged === null || (this.primaryState?.position ?? 0n) >= diverged;
        if (isFirst || probed.position < diverged) this.diverged = probed.position;
      }
      this.primaryState = state;
      this.history.add(at, state.position);
      this.primaryFailures = 0;
    } catch {
      this.primaryFailures += 1;
    }
  });

  private readonly probe = alone(async () => {
    try {
      const { position } = await this.replicaState();
      this.probed = { at: performance.now(), position };
      this.isUsable = true;
      if (this.reported !== null) this.logger.info('READ_DATABASE_URL is read again');
      this.reported = null;
    } catch (error) {
      // If the pool is full, the statements in progress show whether the replica responds.
      if (isFullPool(error)) return;
      this.isUsable = false;
      if (!(error instanceof ReplicaUnusableError)) this.lagSeconds = NaN;
      const reason = error instanceof Error ? error.message : String(error);
      if (this.reported === null) {
        this.logger.warn({ reason }, 'READ_DATABASE_URL is not read for now; the primary is read instead');
      }
      this.reported = reason;
    }
  });
}

/** Prevents concurrent runs: a call during a run returns the promise of that run. */
function alone(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= work().finally(() => (running = null)));
}
