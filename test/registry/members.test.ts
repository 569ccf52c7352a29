import { describe, expect, it } from '@jest/globals';
import { canonicalLanguage, hasTexts, isLanguage, readTexts, textsAfter } from '../../src/registry/members.js';

const PRESENT = { target: 'https://a.example/', language: 'de' };

describe('the texts of a record', () => {
  it('are read in their canonical forms, without other members', () => {
    const sent = { target: 'HTTPS://a.example/', language: 'EN-gb', metadataId: 'a:1' };
    expect(readTexts(sent)).toEqual({ target: 'HTTPS://a.example/', language: 'en-GB' });
    expect(readTexts({ language: null })).toEqual({ language: null });
  });

  it('keep what a change does not give, and lose what it sets to null', () => {
    expect(textsAfter(PRESENT, {})).toEqual(PRESENT);
    expect(textsAfter(PRESENT, { target: null })).toEqual({ target: null, language: 'de' });
  });

  it('are compared where they are given', () => {
    expect(hasTexts(PRESENT, {})).toBe(true);
    expect(hasTexts(PRESENT, { language: 'de' })).toBe(true);
    expect(hasTexts(PRESENT, { target: PRESENT.target, language: null })).toBe(false);
  });
});

describe('a language', () => {
  it.each(['de', 'pt-BR', 'zh-Hant-TW', 'sl-rozaj-biske-1994', 'EN', 'ar-arb', 'de-419', 'qaa-Qaaa-QM-x-southern'])(
    'can be %s',
    (tag) => {
      expect(isLanguage(tag)).toBe(true);
    },
  );

  // RFC 5646 2.1: private use, grandfathered tags, extended languages and extensions.
  it.each([
    'x-private',
    'i-klingon',
    'i-default',
    'en-GB-oed',
    'zh-cmn-hans',
    'sgn-BE-FR',
    'zh-min-nan',
    'en-a-bbb-x-a-ccc',
  ])('can be %s', (tag) => {
    expect(isLanguage(tag)).toBe(true);
  });

  it.each([
    '',
    'd',
    'x',
    'i-other',
    'de-a',
    'de-x',
    'de-aaaaaaaaa',
    'de-DE-Latn',
    'de\n',
    'abcd-efg',
    'de_DE',
    'german language',
    'de-',
    '-de',
    'ü',
    7,
    null,
    undefined,
  ])('is not %j', (tag) => {
    expect(isLanguage(tag)).toBe(false);
  });

  // RFC 5646 2.1.1: the case is changed, and nothing is replaced or moved.
  it.each([
    ['DE', 'de'],
    ['PT-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['iw', 'iw'],
    ['SH', 'sh'],
    ['prs', 'prs'],
    ['hy-AREVELA', 'hy-arevela'],
    ['ZH-guoyu', 'zh-guoyu'],
    ['sl-Rozaj-1994-biske', 'sl-rozaj-1994-biske'],
    ['EN-ca-X-CA', 'en-CA-x-ca'],
    ['az-latn-x-LATN', 'az-Latn-x-latn'],
    ['SGN-be-fr', 'sgn-BE-FR'],
    ['I-Klingon', 'i-klingon'],
    ['en-gb-OED', 'en-GB-oed'],
  ])('%s is %s', (sent, canonical) => {
    expect(canonicalLanguage(sent)).toBe(canonical);
  });
});
