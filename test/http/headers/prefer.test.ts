import { describe, expect, it } from '@jest/globals';
import { preferenceApplied, readPreferences } from '../../../src/http/headers/prefer.js';

describe('the preferences of a stream', () => {
  it.each([
    ['return=minimal, summary', true, true, 'return=minimal, summary'],
    ['Summary', false, true, 'summary'],
    ['summary; x=1, return=representation', false, true, 'summary'],
    ['x="summary"', false, false, undefined],
    ['summaries', false, false, undefined],
  ])('of %s are read', (header, isMinimal, hasSummary, applied) => {
    const read = readPreferences(header);
    expect(read).toEqual({ isMinimal, hasSummary });
    expect(preferenceApplied(read)['preference-applied']).toBe(applied);
  });
});

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
    expect(readPreferences(header).isMinimal).toBe(true);
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
    expect(readPreferences(header).isMinimal).toBe(false);
  });

  it('is read in linear time', () => {
    const start = performance.now();
    for (const piece of ['"\\', '\\"', ',', ';', '"', 'return=', ' ']) readPreferences(piece.repeat(500_000));
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
