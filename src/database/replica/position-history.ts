interface Sample {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  readonly position: bigint;
}

/** Positions of the primary at known times, by which the age of the state of a standby is known. */
export class PositionHistory {
  /** The oldest first; one is older than `spanMs`. */
  private samples: Sample[] = [];

  /** @param spanMs greater lags are not told apart. */
  constructor(private readonly spanMs: number) {}

  /** The last sample; null before the first one. */
  get last(): Sample | null {
    return this.samples.at(-1) ?? null;
  }

  add(at: number, position: bigint): void {
    // After a failover that lost the end of the log, the positions of the lost end compare with nothing.
    if (this.last !== null && position < this.last.position) this.samples = [];
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
    if (missed === -1) return 0;
    const reached = this.samples[missed - 1];
    return reached === undefined || this.last === null ? Infinity : this.last.at - reached.at;
  }

  /**
   * A position that a synchronous standby has replayed, because the primary had it earlier by `ms` than at the last sample; that
   * of the last sample where none is known of the time from five times as long before.
   */
  settled(ms: number): bigint {
    const { last } = this;
    if (last === null) return 0n;
    const earlier = this.samples.findLast(({ at }) => last.at - at >= ms);
    return earlier === undefined || last.at - earlier.at > 5 * ms ? last.position : earlier.position;
  }
}
