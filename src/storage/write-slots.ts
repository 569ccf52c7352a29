const KEPT_FOR_READS = 6;

/** Limits the connections that writes use at once, so that writes waiting for a standby do not block reads. */
export class WriteSlots {
  private free: number;
  private readonly queue = new Set<() => void>();

  /**
   * @param size number of connections of the pool, of which a third, at most 6, is kept for reads.
   * @param rejection creates the error of a write that has waited since a time of `performance.now`.
   */
  constructor(
    size: number,
    private readonly maxWaitMs: number,
    private readonly rejection: (since: number) => Error,
  ) {
    this.free = Math.max(1, size - Math.min(KEPT_FOR_READS, Math.ceil(size / 3)));
  }

  /** Takes a slot in the order of calls; `leave` frees it. @returns null if a slot is free, because a promise would delay the write. */
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
      // `setTimeout` would run at once for Infinity.
      const timer = Number.isFinite(this.maxWaitMs) ? setTimeout(expire, this.maxWaitMs) : undefined;
      const enter = (): void => {
        clearTimeout(timer);
        this.queue.delete(enter);
        resolve();
      };
      this.queue.add(enter);
    });
  }

  get waiting(): number {
    return this.queue.size;
  }

  leave(): void {
    const [next] = this.queue;
    if (next === undefined) this.free += 1;
    else next();
  }
}
