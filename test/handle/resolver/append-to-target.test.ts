import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { isTarget } from '../../../src/registry/target.js';
import { appendToTarget } from '../../../src/handle/resolver/append-to-target.js';

const TARGETS = [
  'https://a.example',
  'http://a.example:8080',
  'https://a.example/b',
  'https://a.example?x',
  'https://[::1]',
];

it('a target keeps its scheme, host and port, and stays a URL, whatever is appended', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('.', '@', ':', '/', '\\', '?', '#', '8', 'x', '%', '2', '\t', ' ', '[', ']') }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TARGETS), hostile, (target, appended) => {
      const result = appendToTarget(target, appended);
      if (typeof result !== 'string') return;
      expect(isTarget(result)).toBe(true);
      expect(new URL(result).origin).toBe(new URL(target).origin);
      expect(result).toMatch(/^[\x21-\x7e]+$/);
    }),
    { numRuns: 5000 },
  );
});

it('a text of characters of a URI is appended as it is to a target with a path', () => {
  const text = fc.string({ unit: fc.constantFrom('.', '@', ':', '/', '?', '#', '8', 'x', '%2F', '[', ']', '&', '=') });
  fc.assert(
    fc.property(text, (appended) => {
      expect(appendToTarget('https://a.example/b', appended)).toBe(`https://a.example/b${appended}`);
    }),
  );
});

describe('urlappend', () => {
  it.each([
    ['no text', 'https://a.example/b', null, 'https://a.example/b'],
    ['an empty text', 'https://a.example/b', '', 'https://a.example/b'],
    ['a path and a query', 'https://a.example', '/b?c', 'https://a.example/b?c'],
    ['a name behind a query', 'https://a.example?x', '.evil.example', 'https://a.example?x.evil.example'],
    [
      'a "%" without two hexadecimal digits, and an escape',
      'https://a.example/b',
      '?discount=100%&x=%2F',
      'https://a.example/b?discount=100%25&x=%2F',
    ],
    ['characters that a URI does not contain', 'https://a.example/b', '?é b', 'https://a.example/b?%C3%A9%20b'],
    ['4096 characters', 'https://a.example/b', `?${'x'.repeat(4095)}`, `https://a.example/b?${'x'.repeat(4095)}`],
  ])('appends %s', (_, target, appended, location) => {
    expect(appendToTarget(target, appended)).toBe(location);
  });

  it.each([
    ['the rest of a host', 'https://a.example', '.evil.example', 'must not change the scheme, the host or the port'],
    [
      'another host behind a user',
      'https://a.example',
      '@evil.example',
      'must not change the scheme, the host or the port',
    ],
    ['digits of a port', 'http://a.example:80', '80', 'must not change the scheme, the host or the port'],
    ['line breaks', 'https://a.example/b', '\r\nx: y', 'contains a control character'],
    ['half of a surrogate pair', 'https://a.example/b', '\ud800', 'half of a surrogate pair'],
    ['bytes that are no UTF-8', 'https://a.example/b', undefined, 'is not percent-encoded UTF-8'],
    ['4097 characters', 'https://a.example/b', 'x'.repeat(4097), 'at most 4096 characters'],
    ['a text that is too long when it is escaped', 'https://a.example/b', 'é'.repeat(1300), 'at most 7168 characters'],
  ])('is rejected with %s', (_, target, appended, reason) => {
    expect(appendToTarget(target, appended)).toEqual({ rejection: expect.stringContaining(reason) });
  });
});
