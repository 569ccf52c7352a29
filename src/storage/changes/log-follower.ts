import { type Clock, type Instant, elapsedSince, instantOf } from '../clock.js';
import type { Poll, PollState } from './log-poll.js';

/** Between the beginnings of two polls. */
const INTERVAL_MS = 250;

/** Between the end of a slow poll and the next one. */
const MIN_PAUSE_MS = 25;

/** What the polls have notified is known to be current for this time after the beginning of the last one. */
export const FRESH_MS = 800;

/** Polls end after this time without a use. */
export const IDLE_MS = 10_000;

export type Timer = (work: () => void, ms: number) => { cancel(): void };

/** A timer that does not keep the process running. */
export const unreferencedTimer: Timer = (work, ms) => {
  const timer = setTimeout(work, ms).unref();
  return {
    cancel: () => {
      clearTimeout(timer);
    },
  };
};

/**
 * Polls the change log while it is used. A poll that fails changes nothing: the next one continues from the snapshot of
 * the last that succeeded.
 */
export class LogFollower {
  private state: PollState | null = null;
  /** When the last successful poll began; null before the first one. */
  private polledAt: Instant | null = null;
  private usedAt = -Infinity;
  private next: { cancel(): void } | null = null;
  /** Counts starts and stops, so that a poll that ends after a stop has no effect. */
  private turn = 0;
  private isRunning = false;
  private isClosed = false;

  /**
   * @param poll reads what was committed since a state.
   * @param onChange receives what was committed; null when anything may have changed, and when polls end.
   */
  constructor(
    private readonly poll: (previous: PollState | null) => Promise<Poll>,
    private readonly onChange: (changed: Poll['changed']) => void,
    private readonly clock: Clock,
    private readonly timer: Timer = unreferencedTimer,
  ) {}

  /** Starts the polls, or keeps them running. @param now of the monotonic clock. */
  use(now: number): void {
    this.usedAt = now;
    if (this.isRunning || this.isClosed) return;
    this.isRunning = true;
    this.turn += 1;
    void this.step(this.turn);
  }

  /** Whether everything that was committed `FRESH_MS` ago has been notified. */
  isFresh(): boolean {
    return this.polledAt !== null && elapsedSince(this.polledAt, this.clock) < FRESH_MS;
  }

  /** The end of the log that has been notified; null where that is unknown or old. */
  get notified(): bigint | null {
    return this.isFresh() ? (this.state?.flushed ?? null) : null;
  }

  /** Milliseconds since the last successful poll began; NaN without one. */
  get ageMs(): number {
    return this.polledAt === null ? NaN : elapsedSince(this.polledAt, this.clock);
  }

  /** An upper bound of the clock of the database, in milliseconds since 1970; infinite without a poll. */
  databaseTime(): number {
    if (this.state === null || this.polledAt === null) return Infinity;
    return this.state.time + elapsedSince(this.polledAt, this.clock);
  }

  /** Ends the polls for ever. */
  close(): void {
    this.isClosed = true;
    this.stop();
  }

  private stop(): void {
    this.turn += 1;
    this.isRunning = false;
    this.next?.cancel();
    this.next = null;
    this.state = null;
    this.polledAt = null;
    this.onChange(null);
  }

  private async step(turn: number): Promise<void> {
    const began = instantOf(this.clock);
    const poll = await this.poll(this.state).catch(() => null);
    if (turn !== this.turn) return;
    if (poll !== null) {
      this.onChange(poll.changed);
      this.state = poll.state;
      this.polledAt = began;
    }
    const now = this.clock.monotonic();
    if (now - this.usedAt >= IDLE_MS) {
      this.stop();
      return;
    }
    const pause = Math.max(INTERVAL_MS - (now - began.monotonic), MIN_PAUSE_MS);
    this.next = this.timer(() => void this.step(turn), pause);
  }
}
