import { describe, expect, it } from '@jest/globals';
import { namesIn, withoutLayout } from '../../src/finding/names-in-text.js';
import { hexDigitsOf, nearGuids, nearLocalNames } from '../../src/finding/near-names.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

describe('the GUIDs that are near to a text', () => {
  it.each([
    ['a missing digit', GUID.slice(0, 9) + GUID.slice(10)],
    ['a digit too many', `${GUID.slice(0, 9)}7${GUID.slice(9)}`],
    ['another digit', `7${GUID.slice(1)}`],
    ['exchanged digits', `5F${GUID.slice(2)}`],
    ['letters in place of digits', GUID.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')],
    ['hyphens', 'F58FB49E-B1F8-48F0-A606-E84CEF294BE5'],
    ['a character that is no digit', GUID.replace('8', 'X')],
    ['an ending', `${GUID}.pdf`],
  ])('have the one that was meant: %s', (_, text) => {
    const { candidates } = nearGuids(text);
    expect(candidates).toContain(GUID);
    expect(candidates.length).toBeLessThanOrEqual(600);
  });

  it('have the digits at the start of a text that is cut, from 16 digits on', () => {
    expect([15, 16, 31, 32].map((length) => nearGuids(GUID.slice(0, length)).start)).toEqual([
      ...[null, 'F58FB49EB1F848F0', GUID.slice(0, 31), null],
    ]);
  });

  it('are none for texts with two characters that are no digits, and for long ones', () => {
    expect(nearGuids(GUID.replaceAll('8', 'X')).candidates).toEqual([]);
    expect(nearGuids('X'.repeat(16_000))).toEqual({ candidates: [], start: null });
  });

  it('read look-alikes as digits', () => {
    expect(hexDigitsOf('o1 I-l/zsG')).toBe('0111256');
  });
});

describe('the local names that are near to a text', () => {
  it.each([
    ['Report-2026', 'report-2026'],
    ['REPORT', 'report'],
    ['123456', '12356'],
    ['123456', '1234566'],
    ['123456', '213456'],
    ['a/b', 'a/b).'],
  ])('have %s for %s', (name, text) => {
    const { candidates } = nearLocalNames(text);
    expect(candidates).toContain(name);
    expect(candidates).not.toContain(text);
  });

  it('are bounded, and few for a long text', () => {
    expect(nearLocalNames('1'.repeat(20) + '2'.repeat(20)).candidates.length).toBeLessThanOrEqual(600);
    expect(nearLocalNames('Ab1'.repeat(5000)).candidates.length).toBeLessThanOrEqual(4);
  });
});

describe('the names in a text', () => {
  it.each([
    ['Handle: 1/a', ['1/a']],
    ['PID=20.500/a, and demo:7.', ['20.500/a', 'demo:7']],
    ['see (hdl:1/a); [v2]', ['hdl:1/a']],
    ['1/a', []],
    ['no such thing', []],
    ['a/b c/d e/f g/h i/j', ['a/b', 'c/d', 'e/f', 'g/h']],
  ])('%j has %j', (text, expected) => {
    expect(namesIn(text)).toEqual(expected);
  });

  it.each([
    ['100.102 / F5', '100.102/F5'],
    ['Handle: 100.102/ F5', 'Handle: 100.102/F5'],
    ['100.102\u00a0/F5', '100.102/F5'],
    ['10\u200b0.1\u00ad02/\ufeffF5', '100.102/F5'],
    ['and / or', 'and / or'],
    ['1/a', '1/a'],
  ])('%j is %j without layout', (text, expected) => {
    expect(withoutLayout(text)).toBe(expected);
  });
});
