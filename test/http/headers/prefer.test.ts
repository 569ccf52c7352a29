import { describe, expect, it } from '@jest/globals';
import { prefersMinimal } from '../../../src/http/headers/prefer.js';

describe('Prefer: return=minimal (RFC 7240)', () => {
  it.each([
    'return=minimal',
    'Return=minimal',
    'return = "minimal"',
    'respond-async, return=minimal; note="a, b", wait=10',
    'note="return=representation, \\"x", return=minimal',
    'return=minimal, return=representation',
    'return=minimal, handling="unterminated',
  ])('is requested by %s', (header) => {
    expect(prefersMinimal(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'return',
    'return=representation',
    'return=MINIMAL',
    'return=representation, return=minimal',
    'note="x, return=minimal"',
    'note=x; return=minimal',
    'no-return=minimal',
    '"return=minimal"',
  ])('is not requested by %s', (header) => {
    expect(prefersMinimal(header)).toBe(false);
  });

  it('is read in linear time', () => {
    const start = performance.now();
    for (const piece of ['"\\', '\\"', ',', ';', '"', 'return=', ' ']) prefersMinimal(piece.repeat(500_000));
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
