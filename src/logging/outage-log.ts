import type { Logger } from 'pino';
import { databaseFailure } from '../problem/database-errors.js';
import type { FailureCounter } from '../problem/log-failure.js';

/** An outage has ended when nothing has failed for this time, so that a flapping database is one outage. */
const QUIET_MS = 5000;

interface Outage {
  readonly beganAt: number;
  requests: number;
  connections: number;
  /** Whether writes failed, so that only a commit ends it: a server that is read-only responds to reads. */
  needsCommit: boolean;
  /** When the database served again for the first time since the last failure; null while it does not. */
  servedAt: number | null;
  ending: NodeJS.Timeout | null;
}

/** Writes one line when the database begins to fail, and one when it serves again, in place of a line for each failure. */
export class OutageLog implements FailureCounter {
  private outage: Outage | null = null;

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn'>) {}

  failed(error: unknown, isOfRequest: boolean): boolean {
    const failure = databaseFailure(error);
    if (failure === null || (this.outage === null && !failure.isOutage)) return false;
    // The result of a check is used again for a second, in which the database may serve already.
    if (this.outage !== null && !isOfRequest) return true;
    const { reason } = failure;
    // The sweep repeats its work and a check only reports, so no request has failed yet.
    const level = isOfRequest ? 'error' : 'warn';
    const outage = this.note(level, typeof reason === 'string' ? { reason } : { err: reason });
    if (isOfRequest) outage.requests += 1;
    outage.needsCommit ||= failure.isOfWrite;
    return true;
  }

  connectionLost(reason: string): void {
    this.note('warn', { reason }).connections += 1;
  }

  /** The database has completed a statement. */
  responded(): void {
    if (this.outage !== null && !this.outage.needsCommit) this.serve(this.outage);
  }

  /** The database has acknowledged a commit. */
  committed(): void {
    if (this.outage === null) return;
    this.outage.needsCommit = false;
    this.serve(this.outage);
  }

  private note(level: 'error' | 'warn', fields: object): Outage {
    if (this.outage === null) {
      this.logger[level](fields, 'the database fails; further failures are counted until it serves again');
      const beganAt = performance.now();
      this.outage = { beganAt, requests: 0, connections: 0, needsCommit: false, servedAt: null, ending: null };
    }
    this.outage.servedAt = null;
    if (this.outage.ending !== null) clearTimeout(this.outage.ending);
    this.outage.ending = null;
    return this.outage;
  }

  private serve(outage: Outage): void {
    if (outage.servedAt !== null) return;
    const servedAt = performance.now();
    outage.servedAt = servedAt;
    outage.ending = setTimeout(() => {
      this.outage = null;
      const seconds = Math.round((servedAt - outage.beganAt) / 100) / 10;
      const { requests, connections } = outage;
      this.logger.warn(
        { seconds, failedRequests: requests, lostConnections: connections },
        'the database serves again',
      );
    }, QUIET_MS).unref();
  }
}
