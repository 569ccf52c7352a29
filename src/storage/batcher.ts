import { Problem } from '../problem/problem.js';

export interface BatcherLimits {
  readonly maxBatchSize: number;
  readonly maxConcurrentBatches: number;
  /** One more item is refused. */
  readonly maxQueueLength: number;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Minimum size of a second concurrent batch, because the first may wait for a lock. */
const MIN_SECOND_BATCH = 16;

/** Seconds after which a full queue has room. */
const RETRY_AFTER_S = '2';

/**
 * Coalesces items that arrive while a batch is processed into the next batch, without a timer. A second batch runs
 * concurrently only if it is not smaller than the first.
 */
export class Batcher<T, R> {
  private queue: Waiting<T, R>[] = [];
  private runningBatches = 0;
  /** Items that must wait before the next batch starts. */
  private minNextBatch = 1;

  /** @param work returns a result or an `Error` for each item, in order. If it throws, every item gets that error. */
  constructor(
    private readonly work: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
    private readonly limits: BatcherLimits,
  ) {}

  get depth(): number {
    return this.queue.length;
  }

  /** @throws Problem OVERLOADED when the queue is full; the error of this item. */
  async add(item: T): Promise<R> {
    if (this.queue.length >= this.limits.maxQueueLength) throw queueFull();
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.start();
    });
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

export function queueFull(): Problem {
  return new Problem('OVERLOADED', 'Too many requests are waiting. Retry after Retry-After.', {
    headers: { 'retry-after': RETRY_AFTER_S },
  });
}
