import { BytePool } from './byte-pool.js';

/** The member of a response that holds the promise of its handler; absent before the handler runs, or if it returns no promise. */
export const WORK = Symbol('access:work');

export interface Working {
  [WORK]?: Promise<unknown>;
}

/** A response, or another object that closes once. */
export interface Closing extends Working {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export class ConcurrencyLimiter {
  private readonly underWay: BytePool;

  /** @param most maximum number of concurrent requests of one client; 0 for no limit. */
  constructor(readonly most: number) {
    this.underWay = new BytePool(Infinity, most);
  }

  /** Counts a request until its response has closed and its handler has ended. @returns false if the limit is reached. */
  acquire(client: string, response: Closing): boolean {
    // A closed connection emits no further event that would release the count.
    if (this.most === 0 || response.closed) return true;
    if (this.underWay.rejection(client, 1) !== null) return false;
    this.underWay.take(client, 1);
    whenOver(response, () => {
      this.underWay.giveBack(client, 1);
    });
    return true;
  }
}

/** Calls `leave` when a response has closed and its handler has ended. */
export function whenOver(response: Closing, leave: () => void): void {
  const closed = (): void => {
    if (response[WORK] === undefined) leave();
    else void response[WORK].then(leave, leave);
  };
  if (response.closed) closed();
  else response.once('close', closed);
}
