import type { Address } from '../../../src/registry/naming-authority-snapshot.js';
import type { Clock } from '../../../src/storage/changes/log-follower.js';

/** Two clocks that stand still until a test moves them. */
export class FakeClock implements Clock {
  now = 1000;
  offset = 0;
  monotonic = (): number => this.now;
  wall = (): number => this.now + 1_700_000_000_000 + this.offset;
}

export function addressOf(guid: string, namingAuthority = '100.102'): Address {
  return { namingAuthority, guid: guid.padStart(32, '0'), localKey: null, comparison: null, foldsCase: false };
}

/** Lets all promises that are settled have their effects. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Calls `began` with the work and the time of each timer, which never ends by itself. */
export function fakeTimers(began: (work: () => void, ms: number) => void): void {
  const setTimer = (work: () => void, ms = 0) => {
    began(work, ms);
    return { unref: () => undefined };
  };
  globalThis.setTimeout = setTimer as never;
}
