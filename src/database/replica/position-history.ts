/** Positions of the primary at known times, by which the age of the state of a standby is known. */
export class PositionHistory {
  /** By milliseconds of a monotonic clock, the oldest first; one is older than `spanMs`. */
  private samples: { readonly at: number; readonly position: bigint }[] = [];

  /** @param spanMs greater lags are not told apart. */
  constructor(private readonly spanMs: number) {}

  /** The time of the last sample; -Infinity before the first one. */
  get lastAt(): number {
    return this.samples.at(-1)?.at ?? -Infinity;
  }

  /** The position of the sample before the last one, which a synchronous standby has replayed. */
  get settled(): bigint {
    return (this.samples.at(-2) ?? this.samples.at(-1))?.position ?? 0n;
  }

  add(at: number, position: bigint): void {
    // After a failover that lost the end of the log, the positions of the lost end compare with nothing.
    if (position < (this.samples.at(-1)?.position ?? 0n)) this.samples = [];
    this.samples.push({ at, position });
    while (this.samples.length > 1 && at - (this.samples[1]?.at ?? at) >= this.spanMs) this.samples.shift();
  }

  /**
   * The most that a state can be old, in milliseconds, as of the last sample: while the primary does not respond it does not age,
   * because nothing can be changed then. A state between two samples counts as old as the earlier one.
   * @returns Infinity for a state that is older than all samples.
   */
  lagOf(position: bigint): number {
    const missed = this.samples.findIndex((sample) => sample.position > position);
    return missed === -1 ? 0 : this.lastAt - (this.samples[missed - 1]?.at ?? -Infinity);
  }
}
