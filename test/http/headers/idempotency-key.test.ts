import { describe, expect, it } from '@jest/globals';
import { readIdempotencyKey } from '../../../src/http/headers/idempotency-key.js';

describe('an Idempotency-Key', () => {
  it.each([
    ['absent', undefined, undefined],
    ['bare', '3f0c2a52-95a5', '3f0c2a52-95a5'],
    ['in quotes (RFC 9651 3.3.3)', '"a key"', 'a key'],
    ['with escapes in quotes', String.raw`"a\\\"b"`, String.raw`a\"b`],
    ['of 255 characters', 'k'.repeat(255), 'k'.repeat(255)],
  ])('that is %s is read', (_, header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  it.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['bare with a space', 'a key'],
    ['not closed', '"a key'],
    ['beyond ASCII', 'schlüssel'],
    ['of 256 characters', 'k'.repeat(256)],
    ['sent twice', ['a', 'b']],
  ])('that is %s is rejected', (_, header) => {
    expect(() => readIdempotencyKey(header)).toThrow('INVALID_IDEMPOTENCY_KEY');
  });
});
