import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { guarded, unguarded } from '../../../src/http/csv/cells.js';

describe('the apostrophe before a cell', () => {
  it.each(["'s-Gravenhage 12", "'t Hooft", "'", "'0123"])('belongs to the text %j that the client wrote', (text) => {
    expect(unguarded(text)).toBe(text);
  });

  it.each([
    ["'=1+1", '=1+1'],
    ["''s-Gravenhage", "'s-Gravenhage"],
    ["'\uff1d1", '\uff1d1'],
  ])('is removed from %j, before which an export puts it', (cell, text) => {
    expect(unguarded(cell)).toBe(text);
    expect(guarded(text)).toBe(cell);
  });

  it('is removed from every text that an export has guarded, and from no other one', () => {
    const text = fc.string({ unit: fc.constantFrom(...'\'=+-@;\t\r\n "\uff1d\uff20as'), maxLength: 12 });
    fc.assert(
      fc.property(text, (each) => {
        expect(unguarded(guarded(each))).toBe(each);
      }),
      { numRuns: 5000 },
    );
  });
});
