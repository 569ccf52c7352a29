import { describe, expect, it } from '@jest/globals';
import { Attempts } from '../../src/storage/attempts.js';

async function attempt(): Promise<{ made: number; seconds: number }> {
  const attempts = new Attempts();
  const begin = performance.now();
  let made = 1;
  while (await attempts.again()) made += 1;
  return { made, seconds: (performance.now() - begin) / 1000 };
}

describe('attempts after a conflict that stays', () => {
  it('go on for 5 s, with pauses after the first ones, so that they cost little', async () => {
    const { made, seconds } = await attempt();
    expect(seconds).toBeGreaterThanOrEqual(4.99);
    // At most 500 pauses of 10 ms fit in 5 s; a timer can be early by a millisecond. Without pauses there are millions.
    expect(made).toBeGreaterThan(5);
    expect(made).toBeLessThan(600);
  });

  it('are made without a pause up to the least number', async () => {
    const attempts = new Attempts();
    let hasPaused = false;
    setImmediate(() => (hasPaused = true));
    for (let failed = 1; failed < 50; failed++) expect(await attempts.again(50)).toBe(true);
    expect(hasPaused).toBe(false);
    expect(await attempts.again(50)).toBe(true);
    expect(hasPaused).toBe(true);
  });
});
