import type { Logger } from 'pino';
import { reasonOf } from '../config/startup-error.js';
import { causeInWords } from '../problem/database-causes.js';
import { databaseFailure } from '../problem/database-errors.js';
import type { FailureCounter } from '../problem/log-failure.js';

/** An outage has ended when nothing has failed for this time, so that a flapping database is one outage. */
const QUIET_MS = 5000;

const REMINDER_MS = 60_000;

const BEGIN = 'the database fails; further failures are counted until it serves again';

type Fields = Readonly<Record<string, unknown>>;

interface Outage {
  readonly beganAt: number;
  /** The causes that have a line. */
  readonly causes: Set<string>;
  readonly reminding: NodeJS.Timeout;
  requests: number;
  connections: number;
  /** Whether writes failed, so that only a commit ends it: a server that is read-only responds to reads. */
  needsCommit: boolean;
  /** When the database served again for the first time since the last failure; null while it does not. */
  servedAt: number | null;
  ending: NodeJS.Timeout | null;
  /** The last failure since the last reminder; null for none. */
  last: Fields | null;
  /** The requests that failed since the last reminder. */
  since: number;
  /** Whether the database has served since the last line. */
  hasServed: boolean;
}

/**
 * Writes a line when the database begins to fail, one for each other cause, one a minute while it fails, and one when it serves again,
 * in place of a line for each failure. The level is error while nothing succeeds.
 */
export class OutageLog implements FailureCounter {
  private outage: Outage | null = null;
  private lastOfCheck: unknown;

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn'>) {}

  failed(error: unknown, isOfRequest: boolean): boolean {
    const failure = databaseFailure(error);
    if (failure === null || (this.outage === null && !failure.isOutage)) return false;
    // The result of a check is used again for a second, in which the database may serve already.
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

  /** One that is lost may be all that fails. */
  connectionLost(reason: string): void {
    const { outage, isNew } = this.note({ reason });
    outage.connections += 1;
    if (isNew) this.logger.warn({ reason }, BEGIN);
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

  private note(last: Fields): { outage: Outage; isNew: boolean } {
    const isNew = this.outage === null;
    const outage = this.outage ?? this.begin();
    outage.last = last;
    outage.servedAt = null;
    if (outage.ending !== null) clearTimeout(outage.ending);
    outage.ending = null;
    return { outage, isNew };
  }

  private begin(): Outage {
    const outage: Outage = {
      beganAt: performance.now(),
      causes: new Set(),
      reminding: setInterval(() => {
        this.remind(outage);
      }, REMINDER_MS).unref(),
      ...{ requests: 0, connections: 0, needsCommit: false, servedAt: null, ending: null },
      ...{ last: null, since: 0, hasServed: false },
    };
    this.outage = outage;
    return outage;
  }

  private write(outage: Outage, message: string, fields: Fields): void {
    this.logger[outage.hasServed ? 'warn' : 'error'](fields, message);
    outage.hasServed = false;
  }

  /** Not where nothing was tried. */
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
