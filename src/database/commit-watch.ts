import { Injectable } from '@nestjs/common';
import pg from 'pg';

/** Milliseconds that a write waits without any acknowledged commit before commits count as stalled. */
export const STANDING_MS = 5000;

interface WaitingWrite {
  readonly sentAt: number;
}

/** Tracks commits in progress: those of requests and of `CommitProbe`. No statement timeout ends the wait of a commit. */
@Injectable()
export class CommitWatch {
  /** Oldest first. */
  private readonly queue = new Set<WaitingWrite>();
  private probe: WaitingWrite | null = null;
  /** When writes began to wait without an acknowledged commit, or null. If commits are stalled, the time is kept after the writes end. */
  private since: number | null = null;
  private lastCommitAt: number | null = null;
  private lastWriteAt = -Infinity;
  private doubtful = false;
  private listener: () => void = () => {};

  onCommit(listener: () => void): void {
    this.listener = listener;
  }

  /** Watches a COMMIT, or a statement that commits by itself. @param isProbe true for the write of `CommitProbe`. */
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

  /** Makes the next readiness check send a probe, which detects when the server completes commits again. */
  doubt(): void {
    this.doubtful = true;
  }

  /** Whether a probe must show if commits complete, because a write failed or commits are stalled. */
  get isDoubtful(): boolean {
    return this.doubtful || this.isStanding;
  }

  /** Whether writes have waited for `STANDING_MS` without an acknowledged commit. The result stays true until a commit is acknowledged. */
  get isStanding(): boolean {
    return this.since !== null && performance.now() - this.since >= STANDING_MS;
  }

  /** Whether a commit other than the commit of the probe has been acknowledged since a time of `performance.now`. */
  hasWrittenSince(time: number): boolean {
    return this.lastWriteAt >= time;
  }

  /** Seconds since the last acknowledged commit; NaN before the first one. */
  get lastCommitAgeSeconds(): number {
    return this.lastCommitAt === null ? NaN : secondsSince(this.lastCommitAt);
  }

  /** Seconds for which the oldest write has waited for its commit; 0 if none waits. */
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
    // A statement that writes nothing, such as a replay, commits without waiting. While a probe is in progress, only its commit counts.
    if (this.probe === null || this.probe === write) {
      this.since = this.lastCommitAt;
      this.doubtful = false;
    }
    this.listener();
  }
}

/**
 * Whether the server rejected a statement because of its data, a lock or its disk, which says nothing about commits. Lost connections (08),
 * a read-only server (25006), and a server or session that was ended (57P) do not count.
 */
function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|25006|57P)/.test(error.code ?? '');
}

function secondsSince(at: number): number {
  return (performance.now() - at) / 1000;
}

/** The PostgreSQL function that waits for a synchronous standby. Its name is not translated, unlike the text of a notice. */
const WAIT_ROUTINE = 'SyncRepWaitForLSN';

const canceled = new WeakSet<object>();

/** Detects commits whose wait for the standby was canceled. PostgreSQL reports success for them with a warning. */
export function watchStandbyNotices(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine === WAIT_ROUTINE) canceled.add(client);
  });
}

/** Awaits a commit. @throws Error with SQLSTATE 08007 (outcome unknown) if its wait for the standby was canceled. */
export async function acknowledged<T>(client: object, commit: Promise<T>): Promise<T> {
  const result = await commit;
  if (!canceled.delete(client)) return result;
  throw Object.assign(new Error('the wait for the standby was canceled'), { code: '08007' });
}
