import { describe, expect, it } from '@jest/globals';
import { isCaseInsensitiveByRule, isPrefixOfPrefixes } from '../../src/registry/naming-authority.js';

describe('the default case rule of a naming authority', () => {
  it.each(['10.1', '10.1000', '10.1000.5.20', '0.NA', '0.na'])('R-35, R-36: ignores case under %s', (prefix) => {
    expect(isCaseInsensitiveByRule(prefix)).toBe(true);
  });

  it.each(['10', '10.', '10.1000.', '10.A', '10.1000/x', '110.1', '20.10.1', '0.NA.1', '100.102', ''])(
    'HS-04: respects case under %j',
    (prefix) => {
      expect(isCaseInsensitiveByRule(prefix)).toBe(false);
    },
  );
});

describe('the prefix of prefixes', () => {
  it.each<[string, boolean]>([
    ['0.NA', true],
    ['0.na', true],
    ['0.N', false],
    ['10.1', false],
    ['', false],
  ])('R-35: %j: %s', (prefix, expected) => {
    expect(isPrefixOfPrefixes(prefix)).toBe(expected);
  });
});
