import { Problem } from '../problem/problem.js';

/** A response, or another thing that closes once. */
interface Closing {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Lets a number of requests work at once; others wait, in their order. */
export class Turns {
  private working = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * @param most requests at once.
   * @param mostWaiting requests that wait.
   * @param limitMs the longest wait in milliseconds.
   */
  constructor(
    private readonly most: number,
    private readonly mostWaiting = 100,
    private readonly limitMs = 10_000,
  ) {}

  /** Waits for a turn as `take` does. @throws Problem OVERLOADED */
  async require(response: Closing): Promise<void> {
    if (!(await this.take(response))) throw this.overloaded();
  }

  /** Does work in a turn. @throws Problem OVERLOADED */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.enter())) throw this.overloaded();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private overloaded(): Problem {
    const detail = `At most ${this.most} such requests are answered at once, and others wait for them; retry later.`;
    return new Problem('OVERLOADED', detail, { headers: { 'retry-after': '2' } });
  }

  /**
   * Waits for a turn, which ends when the response was sent or its client has gone.
   * @returns false when too many wait, or after the longest wait.
   */
  async take(response: Closing): Promise<boolean> {
    if (!(await this.enter())) return false;
    if (response.closed) this.leave();
    else
      response.once('close', () => {
        this.leave();
      });
    return true;
  }

  /** Waits for a turn, which ends with `leave`. @returns false as `take` does. */
  async enter(): Promise<boolean> {
    // A turn that is passed on is still counted.
    if (this.working >= this.most) return this.wait();
    this.working += 1;
    return true;
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.working -= 1;
    else next();
  }

  private wait(): Promise<boolean> {
    if (this.waiting.length >= this.mostWaiting) return Promise.resolve(false);
    return new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(limit);
        resolve(true);
      };
      const limit = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(start), 1);
        resolve(false);
      }, this.limitMs);
      this.waiting.push(start);
    });
  }
}
