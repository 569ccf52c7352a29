import { describe, expect, it } from '@jest/globals';
import { PositionHistory } from '../../src/database/replica/position-history.js';

function historyOf(...samples: readonly (readonly [number, bigint])[]): PositionHistory {
  const history = new PositionHistory(10_000);
  for (const [at, position] of samples) history.add(at, position);
  return history;
}

describe('the history of positions', () => {
  it.each([
    ['has everything', 30n, 0],
    ['is ahead of the last sample', 99n, 0],
    ['lacks the last sample', 20n, 1000],
    ['lacks an earlier one', 19n, 2000],
    ['lacks all that are known', 5n, Infinity],
  ])('of a state that %s', (_, position, lag) => {
    expect(historyOf([1000, 10n], [2000, 20n], [3000, 30n]).lagOf(position)).toBe(lag);
  });

  it('counts a time without samples as missed', () => {
    expect(historyOf([1000, 10n], [61_000, 20n]).lagOf(15n)).toBe(60_000);
  });

  it('forgets the positions of a lost end of the log', () => {
    const history = historyOf([1000, 50n], [2000, 40n]);
    expect([history.lastAt, history.lagOf(40n), history.settled]).toEqual([2000, 0, 40n]);
  });

  it.each([
    [
      'of the sample before the last one',
      [
        [1000, 10n],
        [2000, 20n],
        [3000, 30n],
      ],
      20n,
    ],
    ['of the last sample where it is the only one', [[1000, 10n]], 10n],
  ] as const)('has a settled position %s', (_, samples, position) => {
    expect(historyOf(...samples).settled).toBe(position);
  });
});
