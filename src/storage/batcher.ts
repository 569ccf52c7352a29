import { notSent, queueFull } from '../problem/storage-problems.js';

export interface BatcherLimits {
  readonly maxBatchSize: number;
  readonly maxConcurrentBatches: number;
  readonly maxQueueLength: number;
  /** Milliseconds after which an item that waits for a batch is rejected; absent for no limit. */
  readonly maxWaitMs?: number;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

/** A batch of at least this size runs concurrently with a larger one, because the larger one might be waiting for a lock. */
const MIN_SECOND_BATCH = 16;

/** Minimum delay of the timer that rejects items, so that the timer does not run for every item. `maxWaitMs` is much longer. */
const MIN_TIMER_MS = 50;

/**
 * Coalesces items that arrive while a batch is processed into the next batch; no item waits for a batch to fill. Another batch runs
 * concurrently only if it has at least as many items as the batch that started last, or at least `MIN_SECOND_BATCH` items.
 */
export class Batcher<T, R> {
  private queue: Waiting<T, R>[] = [];
  private runningBatches = 0;
  private minNextBatch = 1;
  private timer: NodeJS.Timeout | null = null;

  /** @param work returns a result or an `Error` for each item, in order. If `work` throws, every item is rejected with that error. */
  constructor(
    private readonly work: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
    private readonly limits: BatcherLimits,
  ) {}

  get depth(): number {
    return this.queue.length;
  }

  /** @throws Problem OVERLOADED when the queue is full, DATABASE_UNAVAILABLE after `maxWaitMs`, or the error of the item. */
  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= this.limits.maxQueueLength) throw queueFull();
      this.queue.push({ item, resolve, reject, since: performance.now() });
      this.start();
      if (this.queue.length > 0) this.watch();
    });
  }

  /** One timer suffices, because the first item has waited longest. */
  private watch(): void {
    const { maxWaitMs } = this.limits;
    const [first] = this.queue;
    if (maxWaitMs === undefined || first === undefined || this.timer !== null) return;
    const left = first.since + maxWaitMs - performance.now();
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.rejectOld(maxWaitMs);
        this.watch();
      },
      Math.max(left, MIN_TIMER_MS),
    );
    this.timer.unref();
  }

  private rejectOld(maxWaitMs: number): void {
    const before = performance.now() - maxWaitMs;
    const firstNew = this.queue.findIndex(({ since }) => since > before);
    const old = this.queue.splice(0, firstNew === -1 ? this.queue.length : firstNew);
    for (const { reject } of old) reject(notSent());
  }

  private start(): void {
    while (this.runningBatches < this.limits.maxConcurrentBatches && this.queue.length >= this.minNextBatch) {
      const group = this.queue.slice(0, this.limits.maxBatchSize);
      this.queue = this.queue.slice(this.limits.maxBatchSize);
      this.runningBatches += 1;
      this.minNextBatch = Math.min(group.length, MIN_SECOND_BATCH);
      void this.settle(group).finally(() => {
        this.runningBatches -= 1;
        if (this.runningBatches === 0) this.minNextBatch = 1;
        this.start();
      });
    }
  }

  private async settle(group: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.work(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined || result instanceof Error) reject(result ?? new TypeError('an item has no result'));
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
