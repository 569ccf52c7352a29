import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WriteSlots } from '../../src/storage/write-slots.js';

describe('the connections of writes', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    [1, 1],
    [2, 1],
    [6, 4],
    [20, 14],
  ])('of a pool of %i are %i', (size, most) => {
    const slots = new WriteSlots(size, 5000);
    const entered = Array.from({ length: size + 1 }, () => slots.enter());
    for (const each of entered) each?.catch(() => null);
    expect(entered.filter((each) => each === null)).toHaveLength(most);
  });

  it('are given in the order of the writes', async () => {
    const slots = new WriteSlots(1, 5000);
    expect(slots.enter()).toBeNull();
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await slots.enter();
      order.push(name);
    });
    slots.leave();
    await Promise.resolve();
    slots.leave();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
    slots.leave();
    expect(slots.enter()).toBeNull();
  });

  it('are refused after the limit, and not lost', async () => {
    const slots = new WriteSlots(1, 5000);
    expect(slots.enter()).toBeNull();
    const refused = expect(slots.enter()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await jest.advanceTimersByTimeAsync(5000);
    await refused;
    slots.leave();
    expect(slots.enter()).toBeNull();
  });
});
