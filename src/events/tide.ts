import { Injectable } from '@nestjs/common';
import { Drain } from '../http/drain.js';
import { type ChangePlace, ChangeReader, isBehind } from '../record/change-reader.js';

/** How often the end of the log is looked at while somebody waits, in milliseconds. */
const INTERVAL_MS = 100;

interface Waiter {
  readonly place: ChangePlace;
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * Knows when the log has grown. All who wait in a process share one small query every 100 ms, and nobody asks when nobody
 * waits. NOTIFY would tell sooner, and would make every mint take one lock of the whole database cluster in its commit.
 */
@Injectable()
export class Tide {
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

  /** Whether the service is stopping, so that nobody should wait any more. */
  get isStopping(): boolean {
    return this.drain.stopping.aborted;
  }

  /**
   * Waits until the log has something behind a place, or the time is up, the signal is given, or the service stops.
   * @throws what the database answered when it cannot be asked.
   */
  async rise(place: ChangePlace, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.isStopping || signal.aborted || timeoutMs <= 0) return;
    let waiter: Waiter | undefined;
    let limit: NodeJS.Timeout | undefined;
    let wake = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        waiter = { place, wake: resolve, fail: reject };
        this.waiters.add(waiter);
        limit = setTimeout(resolve, timeoutMs);
        signal.addEventListener('abort', wake);
        this.timer ??= setTimeout(() => void this.look(), INTERVAL_MS);
      });
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', wake);
      if (waiter !== undefined) this.waiters.delete(waiter);
      if (this.waiters.size === 0 && this.timer !== null) clearTimeout(this.timer);
      if (this.waiters.size === 0) this.timer = null;
    }
  }

  private async look(): Promise<void> {
    const asked = this.timer;
    try {
      const head = await this.reader.head();
      for (const { place, wake } of this.waiters) if (isBehind(head, place)) wake();
    } catch (error) {
      for (const { fail } of this.waiters) fail(error);
    }
    // Those who were woken leave in a moment, and the last one stops the timer. Where all left while this asked and somebody
    // came since, that one has started a timer already.
    if (this.timer !== null && this.timer === asked) this.timer = setTimeout(() => void this.look(), INTERVAL_MS);
  }
}
