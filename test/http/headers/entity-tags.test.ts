import { describe, expect, it } from '@jest/globals';
import {
  areOfRecords,
  matchesRecord,
  matchesStrongly,
  matchesWeakly,
  readIfMatch,
  recordTagOf,
  viewTagOf,
} from '../../../src/http/headers/entity-tags.js';

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
    ['*', true],
    ['"2", "3"', true],
    ['"3-kf12oi"', false],
    ['"3-kf12oi-"', true],
    ['"3-kf12oi-aaaaaaaaaaaaaaaa"', true],
    ['"2-kf12oi-bbbbbbbbbbbbbbbb", "3-kf12oi-bbbbbbbbbbbbbbbb"', true],
    ['"3-kf12oj-aaaaaaaaaaaaaaaa"', false],
    ['"2-kf12oi-aaaaaaaaaaaaaaaa"', false],
    ['"13-kf12oi-aaaaaaaaaaaaaaaa"', false],
    ['W/"3-kf12oi-aaaaaaaaaaaaaaaa"', false],
    ['"aaaaaaaaaaaaaaaa"', false],
    ['"2"', false],
    ['"03"', false],
    ['W/"3"', false],
  ])('%s permits a change of version 3 of 1970-01-15: %s', (header, permits) => {
    const record = { version: 3, updatedAt: new Date(1234567890) };
    expect(matchesRecord(readIfMatch(header) ?? [], record)).toBe(permits);
  });

  it('an entity tag of a record has the version, the time in base 36 and a digest, and one of a page only a digest', () => {
    const record = { version: 3, updatedAt: '1970-01-15T06:56:07.890Z' };
    const [one, other] = [recordTagOf(record, '{}'), recordTagOf(record, '{"describes":[]}')];
    expect(one).toMatch(/^"3-kf12oi-[\w-]{16}"$/);
    expect(other).toMatch(/^"3-kf12oi-[\w-]{16}"$/);
    expect(one).not.toBe(other);
    expect(viewTagOf('{}')).toMatch(/^"[\w-]{16}"$/);
  });

  it.each([
    ['*', true],
    ['"3"', true],
    [recordTagOf({ version: 3, updatedAt: new Date(0) }, '{}'), true],
    [`${viewTagOf('<html>')}, "7"`, true],
    [viewTagOf('<html>'), false],
    [`${recordTagOf({ version: 3, updatedAt: new Date(0) }, '{}').slice(0, -1)}-gzip"`, true],
    ['"abc"', false],
  ])('%s can be of a record: %s', (header, can) => {
    expect(areOfRecords(readIfMatch(header) ?? [])).toBe(can);
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
