/** How much the last group of mints weighs against those before it. */
const WEIGHT = 0.25;

/** The share of replays from which searching them first is faster. */
const LIKELY = 0.5;

/**
 * Estimates from recent mints whether the next ones are replays, because retries come in bursts. The estimate selects
 * only which statement runs first.
 */
export class ReplayRate {
  private share = 0;

  get likely(): boolean {
    return this.share > LIKELY;
  }

  /** @param known how many of some mints were known already. */
  note(known: number, of: number): void {
    if (of > 0) this.share += (known / of - this.share) * WEIGHT;
  }
}
