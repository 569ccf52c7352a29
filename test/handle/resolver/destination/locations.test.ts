import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseLocation, parseLocations } from '../../../../src/handle/resolver/destination/locations.js';

const read = (xml: string) => {
  const locations = parseLocations(xml);
  if (locations === null) throw new Error(`not read: ${xml}`);
  return locations;
};

const TWO = `<locations>
  <location id="0" href="https://a.example/0" country="gb" weight="0"/>
  <location id="1" href="https://b.example/1" weight="1"/>
</locations>`;

const chosen = (xml: string, locatt: string[] = [], random = 0) =>
  chooseLocation(read(xml), locatt, random)?.href ?? null;

describe('parseLocations', () => {
  it('reads the locations of the root alone, whose href can be followed', () => {
    const { all, methods } = read(`<?xml version="1.0"?><locations chooseby="weighted, locatt">
      <location href="https://a.example/ä?x=1&amp;y=2"/><location href="ftp://a.example/"/><location/>
      <other><location href="https://nested.example/"/></other><loc href="https://other.example/"/></locations>`);
    expect(all.map(({ href }) => href)).toEqual(['https://a.example/%C3%A4?x=1&y=2']);
    expect(methods).toEqual(['weighted', 'locatt']);
    expect(read('<l chooseby="locatt,locatt,unknown, locatt"/>').methods).toEqual(['locatt']);
  });

  it.each([
    '',
    'text',
    '<locations>',
    '<locations><location href="a</locations>',
    '<!DOCTYPE l [<!ENTITY x "https://evil.example/">]><locations><location href="&x;"/></locations>',
    '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><locations>&x;</locations>',
  ])('reads nothing that is not well-formed without entities of its own: %s', (xml) => {
    expect(parseLocations(xml)).toBeNull();
  });

  it('reads at most 500 locations, and any text without an error', () => {
    const many = '<location href="https://a.example/"/>'.repeat(501);
    expect(read(`<locations>${many}</locations>`).all).toHaveLength(500);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        parseLocations(text);
        parseLocations(`<locations>${text}</locations>`);
      }),
    );
  });
});

describe('chooseLocation', () => {
  it('chooses by attributes first, then by weight', () => {
    expect(chosen(TWO)).toBe('https://b.example/1');
    expect(chosen(TWO, ['id:0'])).toBe('https://a.example/0');
    expect(chosen(TWO, ['country:gb'])).toBe('https://a.example/0');
    expect(chosen(TWO, ['id:0', 'country:gb'])).toBe('https://a.example/0');
    expect(chosen(TWO, ['country:fr'])).toBe('https://b.example/1');
    expect(chosen(TWO, ['constructor:x'])).toBe('https://b.example/1');
  });

  it('takes the methods of the value, and the first location where several are left', () => {
    const three = (chooseby: string) =>
      `<l chooseby="${chooseby}"><location id="0" href="https://a.example/"/><location id="1" href="https://b.example/"/></l>`;
    expect(chosen(three('country'), ['id:1'], 0.9)).toBe('https://a.example/');
    expect(chosen(three('locatt'), ['id:1'])).toBe('https://b.example/');
    expect(chosen(three('weighted,locatt'), ['id:1'], 0.1)).toBe('https://a.example/');
  });

  it('chooses each location as often as its weight says', () => {
    const xml = `<l><location href="https://a.example/" weight="1"/><location href="https://b.example/" weight="3"/>
      <location href="https://c.example/" weight="-5"/><location href="https://d.example/" weight="x"/></l>`;
    const at = (random: number) => chosen(xml, [], random);
    expect([0, 0.249, 0.251, 0.999].map(at)).toEqual([
      ...['https://a.example/', 'https://a.example/', 'https://b.example/', 'https://b.example/'],
    ]);
  });

  it('chooses the first where all weights are 0, and none of none', () => {
    expect(
      chosen('<l><location href="https://a.example/" weight="0"/><location href="https://b.example/" weight="0"/></l>'),
    ).toBe('https://a.example/');
    expect(chosen('<l/>')).toBeNull();
  });
});
