import { Injectable } from '@nestjs/common';
import { Drain } from '../http/server/drain.js';
import { ChangeReader } from '../storage/changes/change-reader.js';
import { type LogPosition, isAfter } from '../storage/changes/log-page.js';

const INTERVAL_MS = 100;

interface Waiter {
  readonly cursor: LogPosition;
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Detects new log entries by polling. NOTIFY would be faster, but each COMMIT would then lock the whole database cluster. */
@Injectable()
export class LogWatcher {
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly reader: ChangeReader,
    private readonly drain: Drain,
  ) {
    drain.stopping.addEventListener('abort', () => {
      for (const { wake } of this.waiters) wake();
    });
  }

  get isStopping(): boolean {
    return this.drain.stopping.aborted;
  }

  /** Waits until the log has events after a position or ends before it, the time is over, the signal aborts, or the service stops. */
  async waitFor(cursor: LogPosition, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.isStopping || signal.aborted || timeoutMs <= 0) return;
    let waiter: Waiter | undefined;
    let limit: NodeJS.Timeout | undefined;
    let wake = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        waiter = { cursor, wake: resolve, fail: reject };
        this.waiters.add(waiter);
        limit = setTimeout(resolve, timeoutMs);
        signal.addEventListener('abort', wake);
        this.timer ??= setTimeout(() => void this.poll(), INTERVAL_MS);
      });
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', wake);
      if (waiter !== undefined) this.waiters.delete(waiter);
      if (this.waiters.size === 0 && this.timer !== null) clearTimeout(this.timer);
      if (this.waiters.size === 0) this.timer = null;
    }
  }

  private async poll(): Promise<void> {
    const startedBy = this.timer;
    try {
      const head = await this.reader.head();
      // A cursor after the end of the log is rejected by the next read.
      for (const { cursor, wake } of this.waiters) if (isAfter(head, cursor) || isAfter(cursor, head)) wake();
    } catch (error) {
      for (const { fail } of this.waiters) fail(error);
    }
    // If all waiters left during the query and a new one was added, the new one has already started a timer.
    if (this.timer !== null && this.timer === startedBy) this.timer = setTimeout(() => void this.poll(), INTERVAL_MS);
  }
}
