import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Places } from '../../../src/access/limits/places.js';

class Response extends EventEmitter {
  closed = false;
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

/** Work that ends when the test says so. */
function workOf(places: Places, client: string, response = new Response()) {
  let end = (): void => {};
  let isRunning = false;
  const done = places.run({ client, response }, async () => {
    isRunning = true;
    await new Promise<void>((resolve) => (end = resolve));
  });
  const result = done.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );
  return {
    response,
    result,
    end: () => {
      end();
    },
    isRunning: () => isRunning,
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('Places', () => {
  it('keep some for others: a client that takes all it can leaves room for another one', async () => {
    const places = new Places(8, 4, 10, 1000);
    const of = (client: string) => Array.from({ length: 6 }, () => workOf(places, client));
    const [one, two] = [of('a'), of('b')];
    await settled();
    expect(one.filter((each) => each.isRunning()).length).toBe(4);
    expect(two.filter((each) => each.isRunning()).length).toBe(2);
    two[0]!.end();
    two[1]!.end();
    await settled();
    expect(two.map((each) => each.isRunning())).toEqual([true, true, true, true, false, false]);
  });

  it('are free when the work is over, and not when the client has gone', async () => {
    const places = new Places(4, 1, 10, 1000);
    const [first, second] = [workOf(places, 'a'), workOf(places, 'a')];
    first.response.close();
    await settled();
    expect(second.isRunning()).toBe(false);
    first.end();
    expect(await first.result).toBe('REQUEST_TIMEOUT');
    await settled();
    expect(second.isRunning()).toBe(true);
  });

  it('are not given to a client that has gone while it waited', async () => {
    const places = new Places(4, 1, 10, 1000);
    const [first, gone, third] = [workOf(places, 'a'), workOf(places, 'a'), workOf(places, 'a')];
    gone.response.close();
    expect(await gone.result).toBe('REQUEST_TIMEOUT');
    first.end();
    await settled();
    expect([gone.isRunning(), third.isRunning()]).toEqual([false, true]);
  });

  it('are rejected when too many of a client wait, and after the longest wait', async () => {
    const places = new Places(4, 1, 4, 20);
    const [first, ...others] = [1, 2, 3, 4].map(() => workOf(places, 'a'));
    expect(await others[2]!.result).toBe('CONCURRENCY_LIMITED');
    expect(await others[0]!.result).toBe('CONCURRENCY_LIMITED');
    const other = workOf(places, 'b');
    await settled();
    expect(other.isRunning()).toBe(true);
    first!.end();
    expect(await first!.result).toBe('done');
  });

  it('of a stream end between its parts, and when the client goes without reading', async () => {
    const places = new Places(4, 1, 10, 1000);
    const response = new Response();
    const parts = places.parts({ client: 'a', response }, [1, 2].values());
    expect((await parts.next()).value).toBe(1);
    const waiting = workOf(places, 'a');
    await settled();
    expect(waiting.isRunning()).toBe(false);
    response.close();
    await settled();
    expect(waiting.isRunning()).toBe(true);
  });
});
