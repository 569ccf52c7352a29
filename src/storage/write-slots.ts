/** Connections of each pool that are kept for reads, at most. */
const KEPT_FOR_READS = 6;

/**
 * The connections of a pool that writes may use at the same time. Writes that wait for a standby would use all of them, and reads,
 * the look-up of API keys among them, would wait behind these.
 */
export class WriteSlots {
  private free: number;
  private readonly queue = new Set<() => void>();

  /**
   * @param size of the pool, of which a third, at most 6, is kept for reads.
   * @param maxWaitMs after which a write is rejected; Infinity where none is.
   * @param rejection the error of a write that has waited in vain since a time, as `performance.now`.
   */
  constructor(
    size: number,
    private readonly maxWaitMs: number,
    private readonly rejection: (since: number) => Error,
  ) {
    this.free = Math.max(1, size - Math.min(KEPT_FOR_READS, Math.ceil(size / 3)));
  }

  /**
   * Takes a slot, which `leave` returns. Slots are given in the order of the calls.
   * @returns null where one is free, so that a write need not wait for a promise.
   * @throws the rejection after the limit.
   */
  enter(): Promise<void> | null {
    if (this.free > 0) {
      this.free -= 1;
      return null;
    }
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        this.queue.delete(enter);
        reject(this.rejection(since));
      };
      // A timer cannot wait for ever: it would run at once.
      const timer = Number.isFinite(this.maxWaitMs) ? setTimeout(expire, this.maxWaitMs) : undefined;
      const enter = (): void => {
        clearTimeout(timer);
        this.queue.delete(enter);
        resolve();
      };
      this.queue.add(enter);
    });
  }

  /** The writes that wait for a slot. */
  get waiting(): number {
    return this.queue.size;
  }

  leave(): void {
    const [next] = this.queue;
    if (next === undefined) this.free += 1;
    else next();
  }
}
