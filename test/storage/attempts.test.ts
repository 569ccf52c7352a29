import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Attempts } from '../../src/storage/conflict-retries.js';

/** The pauses that were made, in milliseconds. */
const pauses: number[] = [];

const attemptsNow = () =>
  new Attempts((ms) => {
    pauses.push(ms);
    jest.advanceTimersByTime(ms);
    return Promise.resolve();
  });

beforeEach(() => {
  pauses.length = 0;
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('attempts after a conflict that stays', () => {
  it.each([
    [0, 10, 505],
    [0.5, 30, 172],
    [0.999, 49.96, 106],
  ])('go on for 5 s; with the random number %d, each of %d ms pause, they are %d', async (random, pauseMs, count) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const attempts = attemptsNow();
    const begin = performance.now();
    let made = 1;
    while (made < 1000 && (await attempts.again())) made += 1;
    expect([made, pauses.length]).toEqual([count, count - 5]);
    for (const ms of pauses) expect(ms).toBeCloseTo(pauseMs);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(5000);
  });

  it('are made without a pause up to the least number, however long each takes', async () => {
    const attempts = attemptsNow();
    for (let failed = 1; failed < 50; failed++) {
      jest.advanceTimersByTime(1000);
      expect(await attempts.again(50)).toBe(true);
    }
    expect(pauses).toEqual([]);
    expect(await attempts.again(50)).toBe(false);
  });

  it('are made with a pause after the least number of them', async () => {
    const attempts = attemptsNow();
    for (let failed = 1; failed < 50; failed++) await attempts.again(50);
    expect(pauses).toEqual([]);
    expect(await attempts.again(50)).toBe(true);
    expect(pauses).toHaveLength(1);
  });
});
