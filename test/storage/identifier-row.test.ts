import { describe, expect, it } from '@jest/globals';
import { resolverOf } from '../../src/storage/identifiers/identifier-row.js';

const rowOf = (index: number) => ({
  sandbox: false,
  resolver_scheme: 'https',
  resolver_authority: `r${index}.example.org`,
  resolver_first_segment: null,
});

describe('the resolvers of rows', () => {
  it('are one object for equal settings, of which at most 10,000 are kept', () => {
    const first = resolverOf(rowOf(0));
    expect(resolverOf(rowOf(0))).toBe(first);
    for (let index = 1; index <= 10_000; index++) resolverOf(rowOf(index));
    const again = resolverOf(rowOf(0));
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(resolverOf(rowOf(0))).toBe(again);
  });
});
