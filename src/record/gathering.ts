import { Problem } from '../problem/problem.js';

/** What bounds a gathering. */
export interface GatheringLimits {
  /** How many items are worked on together at most. */
  readonly together: number;
  /** How many groups are under way at once. */
  readonly inFlight: number;
  /** How many items may wait; one more is refused. */
  readonly waiting: number;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** So many are worth a group of their own, however large the one under way is: that may wait for a lock. */
const ENOUGH = 16;

/** Seconds after which a full queue has room again. */
const RETRY_AFTER_S = '2';

/**
 * Lets items that arrive while others are worked on go together in the next group. There is no timer: an item that
 * arrives when nobody is ahead goes at once and alone, so gathering costs no time, and the busier it gets the larger the
 * groups are. Beside a group under way goes only one that is not smaller: a small one would cost what a large one does, and
 * keep the rest waiting. Each item gets its own result when its group is done.
 */
export class Gathering<T, R> {
  private queue: Waiting<T, R>[] = [];
  private underWay = 0;
  /** How many must wait for the next group to go: beside another one, not fewer than are in that. */
  private leastNext = 1;

  /**
   * @param work gives a result for each item, in order; an item that failed by itself has an `Error` for a result. When it
   * throws, nobody's result is known.
   * @param alone tells whether after such an error each item is worth an attempt of its own, so that one of them cannot
   * fail its neighbours.
   */
  constructor(
    private readonly work: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
    private readonly limits: GatheringLimits,
    private readonly alone: (error: unknown) => boolean = () => false,
  ) {}

  /** How many items wait. */
  get depth(): number {
    return this.queue.length;
  }

  /** @throws Problem OVERLOADED when the queue is full; what `work` gives or throws for this item. */
  async add(item: T): Promise<R> {
    if (this.queue.length >= this.limits.waiting) throw queueFull();
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.start();
    });
  }

  private start(): void {
    while (this.underWay < this.limits.inFlight && this.queue.length >= this.leastNext) {
      const group = this.queue.slice(0, this.limits.together);
      this.queue = this.queue.slice(this.limits.together);
      this.underWay += 1;
      this.leastNext = Math.min(group.length, ENOUGH);
      void this.settle(group).finally(() => {
        this.underWay -= 1;
        if (this.underWay === 0) this.leastNext = 1;
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
      if (group.length > 1 && this.alone(error)) for (const each of group) await this.settle([each]);
      else for (const { reject } of group) reject(error);
    }
  }
}

function queueFull(): Problem {
  return new Problem('OVERLOADED', 'More requests wait than can be worked on soon; send this one again later.', {
    headers: { 'retry-after': RETRY_AFTER_S },
  });
}
