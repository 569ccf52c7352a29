import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WriteSlots } from '../../src/storage/write-slots.js';

const slotsOf = (size: number) =>
  new WriteSlots(size, 5000, (since) => new Error(`waited ${Math.round(performance.now() - since)} ms`));

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
    const slots = slotsOf(size);
    const entered = Array.from({ length: size + 1 }, () => slots.enter());
    for (const each of entered) each?.catch(() => null);
    expect(entered.filter((each) => each === null)).toHaveLength(most);
  });

  it('are given in the order of the writes', async () => {
    const slots = slotsOf(1);
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

  it('are waited for without a limit where none is configured', async () => {
    jest.useRealTimers();
    const slots = new WriteSlots(1, Infinity, () => new Error('rejected'));
    expect(slots.enter()).toBeNull();
    const entered = slots.enter();
    await new Promise((resolve) => setTimeout(resolve, 50));
    slots.leave();
    await entered;
  });

  it('are rejected after the limit, and not lost', async () => {
    const slots = slotsOf(1);
    expect(slots.enter()).toBeNull();
    const rejected = expect(slots.enter()).rejects.toThrow(/^waited 5000 ms$/);
    await jest.advanceTimersByTimeAsync(5000);
    await rejected;
    slots.leave();
    expect(slots.enter()).toBeNull();
  });
});
