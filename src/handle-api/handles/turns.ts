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
    private readonly mostWaiting: number,
    private readonly limitMs: number,
  ) {}

  /**
   * Waits for a turn, which ends when the response was sent or its client has gone.
   * @returns false when too many wait, or after the longest wait.
   */
  async take(response: Closing): Promise<boolean> {
    // A turn that is passed on is still counted.
    if (this.working < this.most) this.working += 1;
    else if (!(await this.wait())) return false;
    if (response.closed) this.end();
    else
      response.once('close', () => {
        this.end();
      });
    return true;
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

  private end(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.working -= 1;
    else next();
  }
}
