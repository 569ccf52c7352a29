import { describe, expect, it } from '@jest/globals';
import { TokenBuckets } from '../../../src/access/limits/token-buckets.js';

/** Buckets with a clock that the test sets. */
function buckets(quota: number, most?: number) {
  const clock = { ms: 1000 };
  return { clock, buckets: new TokenBuckets(quota, () => clock.ms, most) };
}

const takeMany = (from: TokenBuckets, name: string, times: number) =>
  Array.from({ length: times }, () => from.take(name).ok);

describe('a token bucket', () => {
  it('permits its quota at once and no more', () => {
    const { buckets: from } = buckets(60);
    expect(takeMany(from, 'a', 60)).not.toContain(false);
    expect(from.take('a')).toEqual({ ok: false, remaining: 0, fullIn: 60, retryAfter: 1 });
  });

  it('fills evenly: 60 a minute is one a second', () => {
    const { clock, buckets: from } = buckets(60);
    takeMany(from, 'a', 60);
    clock.ms += 999;
    expect(from.take('a').ok).toBe(false);
    clock.ms += 1;
    expect(from.take('a').ok).toBe(true);
    expect(from.take('a').ok).toBe(false);
  });

  it('never contains more than its quota, however long there was no request', () => {
    const { clock, buckets: from } = buckets(3);
    from.take('a');
    clock.ms += 86_400_000;
    expect(from.take('a')).toMatchObject({ remaining: 2, fullIn: 20 });
  });

  it('returns the seconds after which the same attempt succeeds, and not a second earlier', () => {
    const { clock, buckets: from } = buckets(6);
    takeMany(from, 'a', 6);
    const { retryAfter } = from.take('a', 3);
    expect(retryAfter).toBe(30);
    clock.ms += 29_000;
    expect(from.take('a', 3).ok).toBe(false);
    clock.ms += 1000;
    expect(from.take('a', 3).ok).toBe(true);
  });

  it('is unchanged by a rejected attempt', () => {
    const { buckets: from } = buckets(10);
    from.take('a', 5);
    expect(from.take('a', 6).ok).toBe(false);
    expect(from.take('a', 5).ok).toBe(true);
  });

  it('permits more than its quota only when it is full, and is in debt afterwards', () => {
    const { clock, buckets: from } = buckets(10);
    from.take('a', 1);
    expect(from.take('a', 30)).toMatchObject({ ok: false, retryAfter: 6 });
    clock.ms += 6000;
    expect(from.take('a', 30)).toEqual({ ok: true, remaining: 0, fullIn: 180, retryAfter: 0 });
    clock.ms += 120_000;
    expect(from.take('a')).toMatchObject({ ok: false, retryAfter: 6 });
    clock.ms += 6000;
    expect(from.take('a').ok).toBe(true);
  });

  it('permits eleven quotas in ten minutes, whenever the attempts are made', () => {
    const { clock, buckets: from } = buckets(100);
    let given = 0;
    const end = clock.ms + 600_000;
    for (let i = 0; clock.ms < end; i++) {
      if (from.take('a').ok) given++;
      clock.ms += (i * 37) % 211;
    }
    expect(given).toBeGreaterThanOrEqual(1099);
    expect(given).toBeLessThanOrEqual(1101);
  });

  it('is not shared by two names', () => {
    const { buckets: from } = buckets(1);
    expect(takeMany(from, 'a', 2)).toEqual([true, false]);
    expect(takeMany(from, 'b', 2)).toEqual([true, false]);
  });

  it('is forgotten when many others came since it was used last, and no earlier', () => {
    const { buckets: from } = buckets(1, 3);
    for (const name of ['a', 'b', 'c', 'a']) from.take(name);
    from.take('d');
    expect(from.take('a').ok).toBe(false);
    expect(from.take('c').ok).toBe(false);
    expect(from.take('b').ok).toBe(true);
  });
});
