import { describe, expect, it } from '@jest/globals';
import { withoutDelimiters } from '../../src/api/lookup/pasted-text.js';

describe('a pasted text', () => {
  it.each([
    ['<hdl:1/a>', 'hdl:1/a'],
    ['"1/a"', '1/a'],
    ['"1/a."', '1/a'],
    ['"1/a".', '1/a'],
    ['„1/a“', '1/a'],
    ['«1/a»', '1/a'],
    [' <"1/a"> . ', '1/a'],
    ['1/a..', '1/a.'],
    ['1/"a"b', '1/"a"b'],
    ['.1/a', '.1/a'],
    ['<>', ''],
    ['1/a', '1/a'],
  ])('%j is read without delimiters as %j', (text, expected) => {
    expect(withoutDelimiters(text)).toBe(expected);
  });
});
