import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConflictRetries } from '../../src/storage/conflict-retries.js';

const violation = () => Promise.reject(Object.assign(new Error('duplicate key'), { code: '23505' }));

/** A transaction that meets a name of another request in its first attempts. */
function transaction(conflicts: number) {
  const attempts = { count: 0 };
  const run = () => (++attempts.count > conflicts ? Promise.resolve('written') : violation());
  return { attempts, run };
}

const retries = new ConflictRetries(null as never, null as never);

describe('work that meets names of other requests', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is repeated while a burst of mints lasts', async () => {
    const { attempts, run } = transaction(20);
    expect(await retries.run(run)).toBe('written');
    expect(attempts.count).toBe(21);
  });

  it('is rejected after 5 s', async () => {
    const { run } = transaction(Infinity);
    const slow = () => {
      jest.advanceTimersByTime(600);
      return run();
    };
    await expect(retries.run(slow)).rejects.toMatchObject({ code: 'CONFLICT_IN_PROGRESS' });
  });

  it('is attempted five times, however long each takes', async () => {
    const { attempts, run } = transaction(4);
    const slow = () => {
      jest.advanceTimersByTime(3000);
      return run();
    };
    expect(await retries.run(slow)).toBe('written');
    expect(attempts.count).toBe(5);
  });
});
