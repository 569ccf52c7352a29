import fc from 'fast-check';
import { expect, it } from '@jest/globals';
import { isTarget } from '../../src/registry/target.js';
import { appendToTarget } from '../../src/resolver/append-to-target.js';

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

it('a "%" without two hexadecimal digits is escaped, and an escape stays as it is', () => {
  expect(appendToTarget('https://a.example/b', '?discount=100%&x=%2F')).toBe(
    'https://a.example/b?discount=100%25&x=%2F',
  );
});
