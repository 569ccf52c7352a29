/** How much the last group of mints weighs against those before it. */
const WEIGHT = 0.25;

/** From which share of repeats on a look that finds them is worth its time for all. */
const LIKELY = 0.5;

/**
 * Tells from the mints of a moment ago whether the next ones are likely to be known already: retries come in storms. It
 * decides nothing but which statement is sent first.
 */
export class Repeats {
  private share = 0;

  get likely(): boolean {
    return this.share > LIKELY;
  }

  /** @param known how many of some mints were known already. */
  note(known: number, of: number): void {
    if (of > 0) this.share += (known / of - this.share) * WEIGHT;
  }
}
