import { describe, expect, it } from '@jest/globals';
import { type StoredValue, isShown, orderedValue, shownValues } from '../../src/registry/stored-value.js';

const value = (type: string, permissions: string): StoredValue => ({
  index: 1,
  type,
  data: { format: 'string', value: 'x' },
  ttl: 86_400,
  permissions,
  timestamp: '2026-11-22T04:29:43Z',
});

describe('stored values', () => {
  it.each([
    ['URL', '1110', true],
    ['URL', '1100', false],
    ['URL', '0010', true],
    ['HS_SECKEY', '1110', false],
    ['hs_seckey', '1110', false],
  ])('of the type %s with the permissions %s are shown: %s', (type, permissions, isExpected) => {
    expect(isShown(value(type, permissions))).toBe(isExpected);
    expect(shownValues([value(type, permissions)])).toHaveLength(isExpected ? 1 : 0);
  });

  it('are shown each by its own type and permissions', () => {
    const values = [value('URL', '1110'), value('URL', '1100'), value('HS_SECKEY', '1110'), value('desc', '0010')];
    const shown = shownValues(values)?.map(({ type, permissions }) => [type, permissions]);
    expect(shown).toEqual([
      ['URL', '1110'],
      ['desc', '0010'],
    ]);
  });

  it('are null where none are stored', () => {
    expect(shownValues(null)).toBeNull();
  });

  it('have their members in the order of the API', () => {
    const { index, ...rest } = value('URL', '1110');
    const members = Object.keys(orderedValue({ ...rest, index }));
    expect(members).toEqual(['index', 'type', 'data', 'ttl', 'permissions', 'timestamp']);
  });
});
