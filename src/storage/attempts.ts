import { setTimeout as wait } from 'node:timers/promises';

/** Each attempt that meets another conflict takes milliseconds, so a number alone would give up during a burst of mints. */
const RETRY_MS = 5000;

const LEAST_ATTEMPTS = 5;

/** The pauses after the first attempts. A conflict that stays would otherwise occupy a connection and a processor for 5 s. */
const LEAST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 50;

/** The attempts of a transaction after conflicts that were resolved meanwhile. */
export class Attempts {
  private readonly until = performance.now() + RETRY_MS;
  private failed = 0;

  /** @param pause waits for a number of milliseconds. */
  constructor(private readonly pause: (ms: number) => Promise<unknown> = wait) {}

  /**
   * Counts a failed attempt, and pauses for 10 to 50 ms before the attempts that are made after the least number of them.
   * @param least the number of attempts that are made in any case, without a pause.
   * @returns whether the transaction is attempted again: until 5 s have passed since the first attempt began.
   */
  async again(least = LEAST_ATTEMPTS): Promise<boolean> {
    this.failed += 1;
    if (this.failed < least) return true;
    if (performance.now() >= this.until) return false;
    await this.pause(LEAST_PAUSE_MS + Math.random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS));
    return true;
  }
}
