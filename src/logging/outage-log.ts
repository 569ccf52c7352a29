import type { Logger } from 'pino';
import { reasonOf } from '../config/startup-error.js';
import { causeInWords } from '../problem/database-causes.js';
import { databaseFailure } from '../problem/database-errors.js';
import type { FailureCounter } from '../problem/log-failure.js';

/** An outage ends after this time without a failure, counted from the first success, so that a flapping database causes one outage. */
const QUIET_MS = 5000;

const REMINDER_MS = 60_000;

const BEGIN = 'the database fails; further failures are counted until it serves again';

type Fields = Readonly<Record<string, unknown>>;

class Outage {
  readonly beganAt = performance.now();
  readonly causes = new Set<string>();
  readonly reminding: NodeJS.Timeout;
  requests = 0;
  connections = 0;
  /** True if writes failed. Then only a commit ends the outage, because a read-only server still serves reads. */
  needsCommit = false;
  /** Time of the first success since the last failure; null before it. */
  servedAt: number | null = null;
  ending: NodeJS.Timeout | null = null;
  /** The last failure since the last reminder, or null. */
  last: Fields | null = null;
  /** Requests that failed since the last reminder. */
  since = 0;
  /** Whether the database has served since the last log line. */
  hasServed = false;

  constructor(remind: (outage: Outage) => void) {
    this.reminding = setInterval(() => {
      remind(this);
    }, REMINDER_MS).unref();
  }
}

/**
 * Summarizes failures of the database: one line at the start of an outage, one for each further cause, one a minute while failures
 * continue, and one when the database serves again. Failures have the level error while nothing succeeds, otherwise warn.
 */
export class OutageLog implements FailureCounter {
  private outage: Outage | null = null;
  private lastOfCheck: unknown;

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn'>) {}

  failed(error: unknown, isOfRequest: boolean): boolean {
    const failure = databaseFailure(error);
    if (failure === null || (this.outage === null && !failure.isOutage)) return false;
    // The result of a health check is cached for a second, in which the database can already serve again.
    if (!isOfRequest && error === this.lastOfCheck) return true;
    if (!isOfRequest) this.lastOfCheck = error;
    const cause = causeInWords(error);
    const fields = { ...(cause !== null && { cause }), reason: reasonOf(failure.reason), ...failure.logged };
    const { outage, isNew } = this.note(fields);
    if (isOfRequest) {
      outage.requests += 1;
      outage.since += 1;
    }
    outage.needsCommit ||= failure.isOfWrite;
    const key = cause ?? '';
    if (!outage.causes.has(key)) {
      outage.causes.add(key);
      this.write(outage, isNew ? BEGIN : 'another failure of the database', fields);
    }
    return true;
  }

  /** Logs a lost connection as a warning if it begins an outage, because a single lost connection may be the only failure. */
  connectionLost(reason: string): void {
    const { outage, isNew } = this.note({ reason });
    outage.connections += 1;
    if (isNew) this.logger.warn({ reason }, BEGIN);
  }

  responded(): void {
    if (this.outage !== null && !this.outage.needsCommit) this.serve(this.outage);
  }

  committed(): void {
    if (this.outage === null) return;
    this.outage.needsCommit = false;
    this.serve(this.outage);
  }

  private note(last: Fields): { outage: Outage; isNew: boolean } {
    const isNew = this.outage === null;
    const outage = (this.outage ??= new Outage(this.remind.bind(this)));
    outage.last = last;
    outage.servedAt = null;
    if (outage.ending !== null) clearTimeout(outage.ending);
    outage.ending = null;
    return { outage, isNew };
  }

  private write(outage: Outage, message: string, fields: Fields): void {
    this.logger[outage.hasServed ? 'warn' : 'error'](fields, message);
    outage.hasServed = false;
  }

  private remind(outage: Outage): void {
    const { last, since } = outage;
    if (last === null) return;
    outage.last = null;
    outage.since = 0;
    this.write(outage, 'the database still fails', { ...last, failedRequests: since });
  }

  private serve(outage: Outage): void {
    outage.hasServed = true;
    if (outage.servedAt !== null) return;
    const servedAt = performance.now();
    outage.servedAt = servedAt;
    outage.ending = setTimeout(() => {
      this.outage = null;
      clearInterval(outage.reminding);
      const seconds = Math.round((servedAt - outage.beganAt) / 100) / 10;
      const { requests, connections } = outage;
      this.logger.warn(
        { seconds, failedRequests: requests, lostConnections: connections },
        'the database serves again',
      );
    }, QUIET_MS).unref();
  }
}
