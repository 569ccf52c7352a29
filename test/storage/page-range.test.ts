import { describe, expect, it } from '@jest/globals';
import { isServed } from '../../src/storage/identifiers/page-filter.js';
import {
  type PageRange,
  endsQuery,
  isFurther,
  rangeAfter,
  rangeConditions,
  rangeOf,
  rangeUpTo,
} from '../../src/storage/identifiers/page-range.js';

const at = (day: number, id: bigint) => ({ createdAt: new Date(Date.UTC(2026, 0, day)), id });
const conditions = (range: PageRange) => {
  const values: unknown[] = [];
  return { texts: rangeConditions(range, (value) => `$${values.push(value)}`), values };
};
const [OLDEST, NEWEST] = ['createdAt', '-createdAt'] as const;
const FIRST_DAY = '2026-01-01T00:00:00.000Z';

describe('the range of a page', () => {
  it('has no condition without times and a cursor', () => {
    expect(conditions(rangeOf({}, OLDEST, undefined))).toEqual({ texts: [], values: [] });
  });

  it('includes its begin and excludes its end, whatever the id', () => {
    const range = rangeOf({ createdFrom: at(1, 0n).createdAt, createdBefore: at(9, 0n).createdAt }, OLDEST, undefined);
    expect(conditions(range)).toEqual({
      texts: ['(created_at, id) > ($1::timestamptz, $2::bigint)', '(created_at, id) < ($3::timestamptz, $4::bigint)'],
      values: [FIRST_DAY, '0', '2026-01-09T00:00:00.000Z', '0'],
    });
  });

  it('begins after the cursor, or before it in the order of the newest', () => {
    expect(rangeOf({}, OLDEST, at(3, 7n))).toEqual({ order: OLDEST, after: at(3, 7n), before: null });
    expect(rangeOf({}, NEWEST, at(3, 7n))).toEqual({ order: NEWEST, after: null, before: at(3, 7n) });
  });

  it('is not made larger by a cursor outside its times', () => {
    const filter = { createdFrom: at(5, 0n).createdAt, createdBefore: at(6, 0n).createdAt };
    for (const order of [OLDEST, NEWEST]) {
      const cursor = order === OLDEST ? at(1, 1n) : at(9, 1n);
      expect(rangeOf(filter, order, cursor)).toEqual(rangeOf(filter, order, undefined));
    }
  });

  it('has two parts without a gap and without a common identifier', () => {
    for (const order of [OLDEST, NEWEST]) {
      const whole = rangeOf({}, order, undefined);
      const end = at(3, 7n);
      const contains = ({ after, before }: PageRange, id: bigint) =>
        (after === null || id > after.id) && (before === null || id < before.id);
      for (const id of [6n, 7n, 8n]) {
        expect([contains(rangeUpTo(whole, end), id), contains(rangeAfter(whole, end), id)].sort()).toEqual([
          false,
          true,
        ]);
      }
      expect(contains(rangeUpTo(whole, end), 7n)).toBe(true);
    }
  });

  it('knows which of two ends is further in its order: not an equal one, and the end of the range always', () => {
    const [one, other, same, next] = [at(1, 5n), at(1, 6n), at(1, 5n), at(2, 1n)];
    const pairs = [
      [other, one],
      [next, other],
      [one, same],
      [one, other],
      [null, one],
      [one, null],
      [null, null],
    ] as const;
    const further = (order: 'createdAt' | '-createdAt') =>
      pairs.map(([first, second]) => isFurther(order, first, second));
    expect(further(OLDEST)).toEqual([true, true, false, false, true, false, false]);
    expect(further(NEWEST)).toEqual([false, false, false, true, true, false, false]);
  });
});

describe('the ends of the parts that a page compares with its filter', () => {
  const all = rangeOf({}, OLDEST, undefined);

  it.each([
    [{ hasTarget: false }, 2],
    [{ hasMetadata: false, hasTarget: false, state: 'reserved' }, 4],
    [{ state: 'active' }, 1],
    [{ state: 'withdrawn' }, 2],
    [{ state: 'withdrawn', namingAuthorityId: 1 }, 3],
    [{ target: 'https://a.example/', namingAuthorityIds: [1, 2] }, 3],
    // So many naming authorities would take as many look-ups.
    [{ namingAuthorityIds: Array.from({ length: 101 }, (_, n) => n) }, 1],
  ] as const)('of %j are looked up in %i indexes', (filter, count) => {
    const query = endsQuery(filter, all, 1000);
    expect(query.indexes).toBe(count);
    expect(query.text.match(/AS index/g)).toHaveLength(count);
    expect(query.values).toContain(999);
  });
});

describe('a filter', () => {
  it.each([
    {},
    { namingAuthority: '100.102', createdFrom: new Date() },
    { target: 'https://a.example/' },
    { hasTarget: false },
    { hasMetadata: false, createdBefore: new Date() },
    { namingAuthorities: ['100.102', '2000.01'] },
    { namingAuthority: '100.102', namingAuthorities: ['100.102', '2000.01'] },
    { metadata: {} as never, state: 'withdrawn' },
  ] as const)('%j has an index in the order of its pages', (filter) => {
    expect(isServed(filter)).toBe(true);
  });

  it.each([
    ...[{ state: 'active' }, { targetPrefix: 'https://' }, { changedBy: 'a' }],
    ...[
      { hasTarget: false, hasMetadata: false },
      { hasTarget: false, namingAuthorities: ['100.102'] },
    ],
    ...[
      { target: 'https://a.example/', namingAuthority: '100.102' },
      { namingAuthorities: Array<string>(101).fill('1') },
    ],
  ] as const)('%j has none', (filter) => {
    expect(isServed(filter)).toBe(false);
  });
});
