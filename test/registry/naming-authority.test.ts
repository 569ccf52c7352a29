import { describe, expect, it } from '@jest/globals';
import { areSameHandle, isCaseInsensitiveByRule, isPrefixOfPrefixes } from '../../src/registry/naming-authority.js';

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

describe('two Handles of a naming authority', () => {
  const [GUID, HYPHENED] = ['F58FB49EB1F848F0A606E84CEF294BE5', 'f58fb49e-b1f8-48f0-a606-e84cef294be5'];
  const authority = (caseInsensitive: boolean, profile: 'cordra' | 'handle' = 'handle') =>
    ({ prefix: '20.k', profile, caseInsensitive }) as const;

  it.each([
    ['20.K/a', '20.k/a', authority(false), true],
    ['20.k/a', '20.k/A', authority(false), false],
    ['20.k/a', '20.K/A', authority(true), true],
    ['20.k/ab', '20.k/AB', authority(false, 'cordra'), true],
    [`20.k/${HYPHENED}`, `20.K/${GUID}`, authority(false, 'cordra'), true],
    [`20.k/${HYPHENED}`, `20.k/${GUID}`, authority(true), false],
    ['20.\u212a/a', '20.k/a', authority(true), false],
    ['20.k/\u212a', '20.k/k', authority(true), false],
  ])('HS-05, R-15: %j and %j under %j are equal: %s', (one, other, rules, expected) => {
    expect(areSameHandle(rules, one, other)).toBe(expected);
  });
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
