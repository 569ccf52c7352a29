import type { ServerResponse } from 'node:http';

/** The member of a response that holds the promise of its handler; absent before the handler runs. */
export const WORK = Symbol('access:work');

export interface Working {
  [WORK]?: Promise<unknown>;
}

export class ConcurrencyLimiter {
  private readonly counts = new Map<string, number>();

  /** @param most maximum number of concurrent requests of one client; 0 for no limit. */
  constructor(readonly most: number) {}

  /**
   * Counts a request until its response has ended or its client has disconnected, and its handler has ended.
   * @returns false when the limit is reached; the request is not counted then.
   */
  acquire(client: string, response: Pick<ServerResponse, 'closed' | 'once'> & Working): boolean {
    // A closed connection emits no further event that would release the count.
    if (this.most === 0 || response.closed) return true;
    if (!this.enter(client)) return false;
    const leave = (): void => {
      this.leave(client);
    };
    response.once('close', () => {
      if (response[WORK] === undefined) leave();
      else void response[WORK].then(leave, leave);
    });
    return true;
  }

  private enter(client: string): boolean {
    const count = this.counts.get(client) ?? 0;
    if (count >= this.most) return false;
    this.counts.set(client, count + 1);
    return true;
  }

  private leave(client: string): void {
    const left = (this.counts.get(client) ?? 1) - 1;
    if (left === 0) this.counts.delete(client);
    else this.counts.set(client, left);
  }
}
