import { describe, expect, it } from '@jest/globals';
import { type HandleValue, selectValues } from '../../../src/handle/values/index.js';

const value = (index: number, type: string): HandleValue => ({
  index,
  type,
  data: { format: 'string', value: '' },
  ttl: { seconds: 1 },
  permissions: 0b1110,
  timestamp: new Date(0),
  references: [],
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
