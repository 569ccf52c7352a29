import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { StartupError, reasonOf } from '../../config/startup-error.js';
import { type ClusterControl, START_SECONDS, runningPort } from './cluster-control.js';
import { OWNER_WAIT_MS, claimCluster, inUse } from './cluster-owner.js';
import type { DataFolder } from './data-folder.js';

/** Polling interval. A service that starts waits much longer for a free lock, so that the owner can recover its lock first. */
const POLL_MS = 100;

/** Maximum number of restarts in a row. The count is reset when the server has run for `STABLE_MS`. */
const MAX_STARTS = 5;
const STABLE_MS = 10_000;

/** Pause before the second restart, doubled for each later one. In total, pauses exceed the statement timeout, which ends old processes. */
const START_PAUSE_MS = 700;

/** Restarts the server of a data folder and recovers the owner lock. PostgreSQL closes all sessions when one of its processes crashes. */
export class ClusterSupervisor {
  readonly lost: Promise<Error>;

  private reportLost: (reason: Error) => void = () => {};
  private isStopping = false;
  private isOwner = true;
  private starts = 0;
  private startedAt = performance.now();
  private failure = 'PostgreSQL ended repeatedly';
  private recovering: Promise<void> = Promise.resolve();

  constructor(
    private readonly server: ClusterControl,
    private readonly folder: DataFolder,
    private readonly port: number,
    private readonly url: string,
    private readonly log?: Pick<Logger, 'warn'>,
  ) {
    this.lost = new Promise((resolve) => (this.reportLost = resolve));
  }

  /** Takes the owner lock, and takes it again when its session ends. @throws StartupError if another service has it. */
  async claim(): Promise<pg.Client> {
    // A starting service holds the lock briefly to test it.
    for (let waited = 0; waited <= OWNER_WAIT_MS; waited += POLL_MS) {
      const session = await claimCluster(this.url);
      if (session !== undefined) {
        return session.once('end', () => {
          if (!this.isStopping) this.recovering = this.recover();
        });
      }
      await pause(POLL_MS);
    }
    throw inUse(this.folder);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.recovering;
    if (this.isOwner) await this.server.stop();
  }

  private async recover(): Promise<void> {
    this.log?.warn({}, 'lost the session that owns the data folder');
    const giveUp = performance.now() + START_SECONDS * 1000;
    try {
      while (!this.isStopping) {
        if (await this.claimAgain()) return;
        if (performance.now() > giveUp) throw new Error('PostgreSQL is running but accepts no connections.');
        if (await this.server.isRunning()) await this.requireOwnServer();
        else await this.startAgain();
        await pause(POLL_MS);
      }
    } catch (error) {
      this.reportLost(error instanceof Error ? error : new Error(reasonOf(error)));
    }
  }

  private async claimAgain(): Promise<boolean> {
    try {
      await this.claim();
    } catch (error) {
      if (error instanceof StartupError) this.giveUpOwnership();
      return false;
    }
    this.log?.warn({}, 'recovered ownership of the data folder');
    return true;
  }

  private async requireOwnServer(): Promise<void> {
    const port = await runningPort(this.folder);
    if (!Number.isNaN(port) && port !== this.port) this.giveUpOwnership();
  }

  private giveUpOwnership(): never {
    this.isOwner = false;
    throw inUse(this.folder);
  }

  private async startAgain(): Promise<void> {
    if (performance.now() - this.startedAt > STABLE_MS) this.starts = 0;
    if (this.starts === MAX_STARTS) {
      throw new Error(`PostgreSQL could not be restarted in ${MAX_STARTS} attempts: ${this.failure}`);
    }
    const attempt = ++this.starts;
    if (attempt > 1) await pause(START_PAUSE_MS * 2 ** (attempt - 2));
    try {
      await this.server.start(this.port);
      this.log?.warn({ attempt }, 'PostgreSQL ended unexpectedly and was restarted');
    } catch (error) {
      this.failure = reasonOf(error);
      this.log?.warn({ attempt, reason: this.failure }, 'PostgreSQL could not be restarted');
    } finally {
      this.startedAt = performance.now();
    }
  }
}
