/** Log positions of the primary over time, from which the lag of a standby is computed. */
export class PositionHistory {
  /** Times in milliseconds of a monotonic clock, oldest first; only the first sample can be older than `spanMs`. */
  private samples: { readonly at: number; readonly position: bigint }[] = [];

  /** @param spanMs the longest lag that is measured; a longer lag counts as Infinity. */
  constructor(private readonly spanMs: number) {}

  /** Time of the last sample; -Infinity before the first one. */
  get lastAt(): number {
    return this.samples.at(-1)?.at ?? -Infinity;
  }

  /** The position of the sample before the last one. A standby that follows the primary has usually replayed it. */
  get settled(): bigint {
    return (this.samples.at(-2) ?? this.samples.at(-1))?.position ?? 0n;
  }

  add(at: number, position: bigint): void {
    // After a failover that lost the end of the log, earlier positions cannot be compared with later ones.
    if (position < (this.samples.at(-1)?.position ?? 0n)) this.samples = [];
    this.samples.push({ at, position });
    while (this.samples.length > 1 && at - (this.samples[1]?.at ?? at) >= this.spanMs) this.samples.shift();
  }

  /** Maximum age of a state in milliseconds, as of the last sample; Infinity for a state older than all samples. */
  lagOf(position: bigint): number {
    const missed = this.samples.findIndex((sample) => sample.position > position);
    return missed === -1 ? 0 : this.lastAt - (this.samples[missed - 1]?.at ?? -Infinity);
  }
}
