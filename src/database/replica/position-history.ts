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
   * How old a state is, in milliseconds, as of the last sample: while the primary does not respond it does not age, because
   * nothing can be changed then. A state between two samples counts as old as the later one.
   */
  lagOf(position: bigint): number {
    const missed = this.samples.find((sample) => sample.position > position);
    return missed === undefined || this.last === null ? 0 : this.last.at - missed.at;
  }

  /** The position of the last sample that is older than the last one by `ms`, which reached a synchronous standby. */
  before(ms: number): bigint {
    const { last } = this;
    return this.samples.findLast(({ at }) => last !== null && last.at - at >= ms)?.position ?? 0n;
  }
}
