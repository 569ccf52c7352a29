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
  private readonly waiting = new Set<WaitingWrite>();
  private probe: WaitingWrite | null = null;
  private lastCommitAt: number | null = null;
  private lastWriteAt = -Infinity;
  private doubtful = false;
  private standing = false;
  private listener: () => void = () => {};

  /** @param listener is called after each acknowledged commit. */
  onCommit(listener: () => void): void {
    this.listener = listener;
  }

  /** Watches a COMMIT, or a statement that commits by itself. Returns what it returns, and throws what it throws. */
  async watch<T>(send: () => Promise<T>): Promise<T> {
    return this.follow({ sentAt: performance.now() }, send);
  }

  /** As `watch`, for a write that only shows whether commits are completed. At most one at a time. */
  async watchProbe<T>(send: () => Promise<T>): Promise<T> {
    const write = { sentAt: performance.now() };
    this.probe = write;
    try {
      return await this.follow(write, send);
    } finally {
      this.probe = null;
    }
  }

  /** Called when the server accepts no writes, so that a probe shows when it does again. */
  doubt(): void {
    this.doubtful = true;
  }

  /** Whether a probe is needed to know if commits are completed: a write failed, or none was completed for long. */
  get isDoubtful(): boolean {
    return this.doubtful || this.standing;
  }

  /**
   * Whether commits stand: the probe, or all writes of the process, have waited for `STANDING_MS`. It stays true after the
   * waiting connections were given up, until a commit is acknowledged.
   */
  checkStanding(): boolean {
    const since = this.probe?.sentAt ?? this.oldest?.sentAt ?? Infinity;
    // A statement that writes nothing, such as a replay, does not wait, so that only the probe counts while there is one.
    const begin = this.probe === null ? Math.max(since, this.lastCommitAt ?? -Infinity) : since;
    if (performance.now() - begin >= STANDING_MS) this.standing = true;
    return this.standing;
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
    return this.oldest === undefined ? 0 : secondsSince(this.oldest.sentAt);
  }

  private get oldest(): WaitingWrite | undefined {
    const [oldest] = this.waiting;
    return oldest;
  }

  private async follow<T>(write: WaitingWrite, send: () => Promise<T>): Promise<T> {
    this.waiting.add(write);
    try {
      const result = await send();
      this.lastCommitAt = performance.now();
      if (this.probe !== write) this.lastWriteAt = this.lastCommitAt;
      if (this.probe === null || this.probe === write) {
        this.standing = false;
        this.doubtful = false;
      }
      this.listener();
      return result;
    } catch (error) {
      if (!isRefusal(error)) this.doubtful = true;
      throw error;
    } finally {
      this.waiting.delete(write);
    }
  }
}

/**
 * Whether the server refused a statement because of its data, a lock or its disk, which says nothing about commits. Other
 * errors are a lost connection, a read-only server (25006), and one that shuts down (57P01 to 57P03).
 */
function isRefusal(error: unknown): boolean {
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

/** Whether a wait of this session was cancelled since the last call. */
export function takeCancelledWait(client: object): boolean {
  return cancelled.delete(client);
}
