import { describe, expect, it } from '@jest/globals';
import { matchesRecord, matchesStrongly, matchesWeakly, readIfMatch } from '../../../src/http/headers/entity-tags.js';

const TAG = '"3-abc"';

describe('RFC 9110 13.1.1: If-Match', () => {
  it.each([
    ['*', true],
    [TAG, true],
    [`"1", ${TAG}`, true],
    [`,, ${TAG} ,`, true],
    ['"a,b"', false],
    [`W/${TAG}`, false],
    ['"3"', false],
  ])('%s matches: %s', (header, matches) => {
    expect(matchesStrongly(readIfMatch(header) ?? [], TAG)).toBe(matches);
  });

  it.each([
    ['"3"', true],
    [TAG, true],
    ['*', true],
    ['"2", "3"', true],
    ['"2"', false],
    ['"03"', false],
    ['"3-"', false],
    ['"3-abd"', false],
    ['W/"3"', false],
    [`W/${TAG}, "2"`, false],
  ])('%s permits a change of version 3: %s', (header, permits) => {
    expect(matchesRecord(readIfMatch(header) ?? [], 3, TAG)).toBe(permits);
  });

  it.each(['', 'abc', '"a" "b"', '"a', `*, ${TAG}`, ' , '])('"%s" is malformed', (header) => {
    expect(() => readIfMatch(header)).toThrow(/^INVALID_PRECONDITION/);
  });

  it('an absent header is no precondition', () => {
    expect(readIfMatch(undefined)).toBeUndefined();
  });
});

describe('RFC 9110 13.1.2: If-None-Match', () => {
  it.each([
    ['*', true],
    [`W/${TAG}`, true],
    [TAG, true],
    ['"3"', false],
    ['abc', false],
    [undefined, false],
  ])('%s matches: %s', (header, matches) => {
    expect(matchesWeakly(header, TAG)).toBe(matches);
  });
});
