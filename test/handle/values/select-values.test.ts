import { describe, expect, it } from '@jest/globals';
import { selectValues } from '../../../src/handle/values/index.js';
import type { StoredValue } from '../../../src/registry/stored-value.js';

const value = (index: number, type: string): StoredValue => ({
  index,
  type,
  data: { format: 'string', value: '' },
  ttl: 1,
  permissions: '1110',
  timestamp: '1970-01-01T00:00:00Z',
});

const VALUES = [value(1, 'URL'), value(2, 'desc'), value(3, 'desc.a'), value(4, 'desc.a.b'), value(100, 'HS_ADMIN')];

describe('a selection', () => {
  it.each([
    ['nothing', [], [], [1, 2, 3, 4, 100]],
    ['a type in any case', ['url'], [], [1]],
    ['types and indexes, united', ['URL'], [100], [1, 100]],
    ['a type without those below it', ['desc'], [], [2]],
    ['a type with a full stop, with those below it', ['DESC.'], [], [2, 3, 4]],
    ['a lower type with a full stop', ['desc.a.'], [], [3, 4]],
    ['a part of a type', ['UR', 'des.', '.', ''], [], []],
    ['an index that is not there', [], [99], []],
  ])('of %s', (_, types, indexes, expected) => {
    expect(selectValues(VALUES, { types, indexes }).map(({ index }) => index)).toEqual(expected);
  });
});
