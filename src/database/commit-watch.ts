import { Injectable } from '@nestjs/common';
import pg from 'pg';

/** Milliseconds without an acknowledged commit, while a write waits for one, after which commits stand. */
export const STANDING_MS = 5000;

interface WaitingWrite {
  /** By the monotonic clock. */
  readonly sentAt: number;
}

/**
 * The commits that this process waits for: those of requests and of `CommitProbe`. A commit waits for the disk of the
 * server and, where one is configured, for its synchronous standby, and no statement timeout ends this wait.
 */
@Injectable()
export class CommitWatch {
  /** The oldest first. */
  private readonly queue = new Set<WaitingWrite>();
  private probe: WaitingWrite | null = null;
  /** Since when writes wait without an acknowledged one. It stays when they are given up later than `STANDING_MS`; null for none. */
  private since: number | null = null;
  private lastCommitAt: number | null = null;
  private lastWriteAt = -Infinity;
  private doubtful = false;
  private listener: () => void = () => {};

  /** @param listener is called after each acknowledged commit. */
  onCommit(listener: () => void): void {
    this.listener = listener;
  }

  /**
   * Watches a COMMIT, or a statement that commits by itself. Returns what it returns, and throws what it throws.
   * @param isProbe for a write that only shows whether commits are completed. At most one at a time.
   */
  async watch<T>(send: () => Promise<T>, isProbe = false): Promise<T> {
    const write = { sentAt: performance.now() };
    this.queue.add(write);
    this.since ??= write.sentAt;
    if (isProbe) this.probe = write;
    try {
      const result = await send();
      this.acknowledge(write);
      return result;
    } catch (error) {
      if (!isRejection(error)) this.doubtful = true;
      throw error;
    } finally {
      if (isProbe) this.probe = null;
      this.queue.delete(write);
      const { oldest } = this;
      if (!this.isStanding) this.since = oldest && Math.max(oldest.sentAt, this.since);
    }
  }

  /** Called when the server accepts no writes, so that a probe shows when it does again. */
  doubt(): void {
    this.doubtful = true;
  }

  /** Whether a probe is needed to know if commits are completed: a write failed, or none was completed for long. */
  get isDoubtful(): boolean {
    return this.doubtful || this.isStanding;
  }

  /**
   * Whether commits stand: writes have waited for `STANDING_MS` without an acknowledged one. It stays true after the waiting
   * connections were given up, until a commit is acknowledged.
   */
  get isStanding(): boolean {
    return this.since !== null && performance.now() - this.since >= STANDING_MS;
  }

  /** Whether a commit other than that of the probe was acknowledged since a time, as `performance.now`. */
  hasWrittenSince(time: number): boolean {
    return this.lastWriteAt >= time;
  }

  /** Seconds since a commit was last acknowledged; NaN before the first one. */
  get lastCommitAgeSeconds(): number {
    return this.lastCommitAt === null ? NaN : secondsSince(this.lastCommitAt);
  }

  /** Seconds for which the oldest write has waited for the response to its commit; 0 if none waits. */
  get oldestWaitingSeconds(): number {
    return this.oldest === null ? 0 : secondsSince(this.oldest.sentAt);
  }

  private get oldest(): WaitingWrite | null {
    const [oldest = null] = this.queue;
    return oldest;
  }

  private acknowledge(write: WaitingWrite): void {
    this.lastCommitAt = performance.now();
    if (this.probe !== write) this.lastWriteAt = this.lastCommitAt;
    // A statement that writes nothing, such as a replay, does not wait, so that only the probe counts while there is one.
    if (this.probe === null || this.probe === write) {
      this.since = this.lastCommitAt;
      this.doubtful = false;
    }
    this.listener();
  }
}

/**
 * Whether the server rejected a statement because of its data, a lock or its disk, which says nothing about commits. Other
 * errors are a lost connection, a read-only server (25006), and one that shuts down (57P01 to 57P03).
 */
function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|25006|57P)/.test(error.code ?? '');
}

function secondsSince(at: number): number {
  return (performance.now() - at) / 1000;
}

/** The function of PostgreSQL that waits for a synchronous standby. Unlike the text of a notice, its name is not translated. */
const WAIT_ROUTINE = 'SyncRepWaitForLSN';

const cancelled = new WeakSet<object>();

/**
 * Notices commits whose wait for the standby was cancelled, by `pg_cancel_backend` for example. PostgreSQL reports success for them
 * with a warning, although the standby may not have the transaction.
 */
export function watchStandbyNotices(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine === WAIT_ROUTINE) cancelled.add(client);
  });
}

/** The result of a commit. @throws an Error with SQLSTATE 08007 (outcome unknown) where its wait for the standby was cancelled. */
export async function acknowledged<T>(client: object, commit: Promise<T>): Promise<T> {
  const result = await commit;
  if (!cancelled.delete(client)) return result;
  throw Object.assign(new Error('the wait for the standby was cancelled'), { code: '08007' });
}
