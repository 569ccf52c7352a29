import { describe, expect, it } from '@jest/globals';
import { EventLoopDelay } from '../../../src/http/server/load-shedding.js';

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('the delay of the event loop', () => {
  it('is nothing after one bad second, that of the better one after two, and over after a good one', () => {
    const delay = new EventLoopDelay();
    const seen = [3000, 2000, 5000, 4, 3000].map((ms) => {
      delay.observe(ms);
      return delay.lastingMs;
    });
    expect(seen).toEqual([0, 2000, 2000, 4, 4]);
  });

  it('is at least how long the loop is blocked again and again', async () => {
    const delay = new EventLoopDelay();
    delay.start();
    const begin = performance.now();
    while (performance.now() - begin < 4000 && delay.lastingMs < 150) {
      block(200);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(delay.lastingMs).toBeGreaterThanOrEqual(150);
  });
});
