import { describe, expect, it } from '@jest/globals';
import { TIMESTAMP, TIMESTAMP_OR_DATE, isKeepable, readLimit, readTime } from '../../src/registry/timestamp.js';

describe('a time of a request (RFC 3339)', () => {
  it.each([
    '2026-11-22T16:30:00Z',
    '2024-02-29T23:59:59.123456789+14:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T00:00:00-00:30',
  ])('%s is read', (text) => {
    expect(TIMESTAMP.test(text)).toBe(true);
    expect(readTime(text, '/x')).toEqual(new Date(text));
  });

  it.each([
    ['2026-02-29T00:00:00Z', 'not a calendar date'],
    ['2026-04-31T00:00:00Z', 'not a calendar date'],
    // In UTC these are in the years 0 and 10000.
    ['0001-01-01T00:00:00+00:01', 'not within the years 1 to 9999 in UTC'],
    ['9999-12-31T23:59:00-00:01', 'not within the years 1 to 9999 in UTC'],
  ])('%s is %s', (text, reason) => {
    expect(TIMESTAMP.test(text)).toBe(true);
    expect(() => readTime(text, '/x')).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        extensions: { errors: [{ pointer: '/x', detail: `"${text}" is ${reason}` }] },
      }),
    );
  });

  it.each([
    ['2026-11-22T16:30:00.122Z', '2026-11-22T16:30:00.122Z'],
    ['2026-11-22T16:30:00.122000Z', '2026-11-22T16:30:00.122Z'],
    ['2026-11-22T16:30:00.122001Z', '2026-11-22T16:30:00.123Z'],
    ['2026-11-22T16:30:00.999999999+01:00', '2026-11-22T15:30:01.000Z'],
    ['2026-11-22', '2026-11-22T00:00:00.000Z'],
  ])('%s as an exclusive end in milliseconds is %s', (text, end) => {
    expect(readLimit(text, '/x')).toEqual(new Date(end));
  });

  it.each([
    ...['0000-01-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-32T00:00:00Z', '2026-01-01T24:00:00Z'],
    ...['2026-01-01T00:60:00Z', '2026-01-01T00:00:60Z', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z'],
    ...['2026-01-01T00:00:00.Z', '2026-01-01T00:00:00+24:00', 'x2026-01-01T00:00:00Z', '2026-01-01T00:00:00Zx'],
  ])('%s does not have its form', (text) => {
    expect(TIMESTAMP.test(text)).toBe(false);
  });

  it.each([
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ])('the date %s is read as its begin in UTC, %s', (text, time) => {
    expect([TIMESTAMP_OR_DATE.test(text), TIMESTAMP.test(text)]).toEqual([true, false]);
    expect(readTime(text, '/x').toISOString()).toBe(time);
  });

  it.each(['2026-02-29', '2026-04-31'])('%s is no date', (text) => {
    expect(() => readTime(text, '/x')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it.each(['0000-01-01', '2026-13-01', '2026-00-01', '2026-1-1', '20261101', '2026-11', '2026-11-01T', '2026-11-01Z'])(
    '%s does not have the form of a date',
    (text) => {
      expect(TIMESTAMP_OR_DATE.test(text)).toBe(false);
    },
  );

  it('can be stored from year 1 to 9999', () => {
    const times = ['0000-12-31', '0001-01-01', '9999-12-31', '+010000-01-01'].map((day) => new Date(day));
    expect(times.map(isKeepable)).toEqual([false, true, true, false]);
  });
});
