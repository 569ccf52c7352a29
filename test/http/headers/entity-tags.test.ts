import { describe, expect, it } from '@jest/globals';
import {
  isStored,
  matchesRecord,
  matchesStrongly,
  matchesWeakly,
  readIfMatch,
  recordTagOf,
  requireIfMatch,
  requireMatch,
  requireNoneMatch,
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

describe('RFC 9110 13.2.2: the preconditions of a read', () => {
  const record = { version: 3, updatedAt: new Date(1234567890) };
  const etag = recordTagOf(record, '{}');

  /** @returns whether the client has the representation, and what the response has. */
  function read(headers: Record<string, string>, of?: typeof record) {
    const set: unknown[] = [];
    const reply = { headers: (sent: unknown) => set.push(sent), status: (code: number) => set.push(code) };
    return [isStored({ request: { headers } as never, reply: reply as never }, { etag }, of), ...set];
  }

  it.each([
    [{}, false],
    [{ 'if-none-match': 'W/"1"' }, false],
    [{ 'if-match': '*' }, false],
    [{ 'if-match': etag, 'if-none-match': '"1"' }, false],
    [{ 'if-none-match': etag }, true],
    [{ 'if-match': etag, 'if-none-match': `W/${etag}` }, true],
  ])('%j: stored %s', (headers: Record<string, string>, isKnown) => {
    const expected = isKnown ? [true, { etag }, 304] : [false, { etag }];
    expect([read(headers), read(headers, record)]).toEqual([expected, expected]);
  });

  it('compare only the version with that of a record, and the whole tag with that of another representation', () => {
    expect(read({ 'if-match': '"3"' }, record)).toEqual([false, { etag }]);
    expect(() => read({ 'if-match': '"3"' })).toThrow(/^PRECONDITION_FAILED.*the representation is "3-kf12oi-/);
    expect(() => read({ 'if-match': '"2"' }, record)).toThrow(/^PRECONDITION_FAILED/);
    expect(() => read({ 'if-match': 'a' }, record)).toThrow(/^INVALID_PRECONDITION/);
  });
});

describe('the preconditions of a change', () => {
  const record = { version: 3, updatedAt: new Date(1234567890) };
  const require = (header: string) => {
    requireMatch(readIfMatch(header) ?? [], record, 'identifier');
  };

  it.each(['*', '"3"', recordTagOf(record, '{}')])('If-Match: %s permits it', (header) => {
    expect(() => {
      require(header);
    }).not.toThrow();
  });

  it.each([
    ['"2"', /does not match version 3 of the identifier; read it again/],
    ['W/"3"', /has a weak entity tag.*: send "3"/],
    [`W/${recordTagOf(record, '{}')}`, /has a weak entity tag/],
    [viewTagOf('<html>'), /does not match version 3 .*Accept: application\/json/],
  ])('If-Match: %s does not', (header, detail) => {
    expect(() => {
      require(header);
    }).toThrow(detail);
  });

  it('If-Match is required, and If-None-Match must not name the present state', () => {
    expect(requireIfMatch('*', 'send it')).toBe('*');
    expect(() => requireIfMatch(undefined, 'send it')).toThrow(/^PRECONDITION_REQUIRED.*send it/);
    requireNoneMatch(undefined, TAG);
    requireNoneMatch('"4"', TAG);
    expect(() => {
      requireNoneMatch('*', TAG);
    }).toThrow(/^PRECONDITION_FAILED.*the current entity tag is "3-abc"/);
  });
});
