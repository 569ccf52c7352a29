import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Batcher } from '../../src/storage/batcher.js';

const LIMITS = { maxBatchSize: 3, maxConcurrentBatches: 1, maxQueueLength: 5 };

/** Work that the test completes, with the batches that it received. */
function held() {
  const groups: number[][] = [];
  const gates: (() => void)[] = [];
  const work = async (items: readonly number[]) => {
    groups.push([...items]);
    await new Promise<void>((resolve) => gates.push(resolve));
    return items.map((item) => (item < 0 ? new RangeError(`${item}`) : item * 10));
  };
  const letGo = async () => {
    gates.shift()?.();
    await turn();
  };
  return { groups, work, letGo };
}

describe('a gathering', () => {
  it('processes the first item alone and at once, and those that arrive meanwhile together, in order', async () => {
    const { groups, work, letGo } = held();
    const gathering = new Batcher(work, LIMITS);
    const results = [1, 2, 3, 4, 5].map((item) => gathering.add(item));
    expect(groups).toEqual([[1]]);
    expect(gathering.depth).toBe(4);
    for (let i = 0; i < 3; i++) await letGo();
    expect(groups).toEqual([[1], [2, 3, 4], [5]]);
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
  });

  it('runs at most the permitted number of batches', async () => {
    const { groups, work, letGo } = held();
    const gathering = new Batcher(work, { ...LIMITS, maxConcurrentBatches: 2 });
    const results = [1, 2, 3, 4].map((item) => gathering.add(item));
    expect(groups).toEqual([[1], [2]]);
    await letGo();
    expect(groups).toEqual([[1], [2], [3, 4]]);
    for (let i = 0; i < 2; i++) await letGo();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });

  it('runs a second batch only when it is not smaller, or has sixteen items', async () => {
    const { groups, work, letGo } = held();
    const gathering = new Batcher(work, { maxBatchSize: 40, maxConcurrentBatches: 2, maxQueueLength: 100 });
    const add = (count: number) => Array.from({ length: count }, () => gathering.add(1));
    const results = [...add(2), ...add(20)];
    await letGo();
    expect(groups.map(({ length }) => length)).toEqual([1, 1, 20]);
    await letGo();
    results.push(...add(15));
    expect(groups).toHaveLength(3);
    results.push(...add(1));
    expect(groups.map(({ length }) => length)).toEqual([1, 1, 20, 16]);
    await letGo();
    results.push(...add(3));
    await letGo();
    expect(groups.map(({ length }) => length)).toEqual([1, 1, 20, 16, 3]);
    await letGo();
    expect(await Promise.all(results)).toHaveLength(41);
  });

  it('rejects an item when the queue is full, and continues with the rest', async () => {
    const { work, letGo } = held();
    const gathering = new Batcher(work, LIMITS);
    const results = [1, 2, 3, 4, 5, 6].map((item) => gathering.add(item));
    await expect(gathering.add(7)).rejects.toMatchObject({ code: 'OVERLOADED' });
    for (let i = 0; i < 3; i++) await letGo();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
  });

  it('fails only the item that failed', async () => {
    const gathering = new Batcher(async (items: readonly number[]) => {
      await turn();
      return items.map((item) => (item < 0 ? new RangeError(`${item}`) : item));
    }, LIMITS);
    const results = await Promise.allSettled([1, -2, 3].map((item) => gathering.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  const failing = (tried: number[][]) => async (items: readonly number[]) => {
    tried.push([...items]);
    await turn();
    if (items.includes(3)) throw new Error('the group of 3');
    return items;
  };

  it('returns an error of a batch to each of its items, and continues with the next batch', async () => {
    const tried: number[][] = [];
    const gathering = new Batcher<number, number>(failing(tried), LIMITS);
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => gathering.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']);
  });
});

describe('a gathering with a limit of the wait', () => {
  const WAITS = { ...LIMITS, maxWaitMs: 100 };
  const rejected = { code: 'DATABASE_UNAVAILABLE' };

  it('rejects items that were not sent in time, and keeps those that were sent and those that came later', async () => {
    const { groups, work, letGo } = held();
    const gathering = new Batcher(work, WAITS);
    const sent = gathering.add(1);
    const old = [gathering.add(2), gathering.add(3)];
    for (const each of old) await expect(each).rejects.toMatchObject(rejected);
    const late = gathering.add(4);
    await letGo();
    await letGo();
    expect(await Promise.all([sent, late])).toEqual([10, 40]);
    expect(groups).toEqual([[1], [4]]);
  });

  it('rejects each item after its own wait', async () => {
    const { work } = held();
    const gathering = new Batcher(work, WAITS);
    void gathering.add(1);
    for (const item of [2, 3]) await expect(gathering.add(item)).rejects.toMatchObject(rejected);
    expect(gathering.depth).toBe(0);
  });
});
