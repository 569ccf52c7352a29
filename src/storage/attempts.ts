/** Each attempt that meets another conflict takes milliseconds, so a number alone would give up during a burst of mints. */
const RETRY_MS = 5000;

const LEAST_ATTEMPTS = 5;

/** The attempts of a transaction after conflicts that were resolved meanwhile. */
export class Attempts {
  private readonly until = performance.now() + RETRY_MS;
  private failed = 0;

  /**
   * Counts a failed attempt.
   * @param least the number of attempts that are made in any case.
   * @returns whether the transaction is attempted again: until 5 s have passed since the first attempt began.
   */
  next(least = LEAST_ATTEMPTS): boolean {
    this.failed += 1;
    return this.failed < least || performance.now() < this.until;
  }
}
