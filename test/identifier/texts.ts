/** Generators of texts for properties: valid texts of each kind with all permitted variants. */
import fc from 'fast-check';
import type { Context, Kind } from '../../packages/identifier/src/index.js';

export interface Sample {
  readonly kind: Kind;
  readonly context: Context;
  readonly input: string;
}

const UNRESERVED = 'ABCXYZabcxyz0189-._~';
const PCHARS = `${UNRESERVED}!$&'()*+,;=:@`;

const some = (characters: string, minLength = 0, maxLength = 8): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });

/** Texts of raw characters and of escapes in either case. */
const escaped = (raw: string, escapes: readonly string[], minLength = 0): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...raw, ...escapes), minLength, maxLength: 8 });

const ANY_ESCAPE = ['%41', '%7e', '%2f', '%2F', '%3f', '%23', '%25', '%c3%a9', '%E2%82%AC', '%20', '%3a', '%40'];

const anyCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, i) => (upper[i] === true ? letter.toUpperCase() : letter)).join(''));

const digits = fc.array(some('0123456789', 1, 4), { minLength: 1, maxLength: 5 }).map((segments) => segments.join('.'));
const guid = some('0123456789ABCDEFabcdef', 32, 32);
const tail = fc
  .tuple(fc.option(escaped(`${PCHARS}/?`, ['%ff', '%C3', '%2d'])), fc.option(escaped(`${PCHARS}/?`, ['%ff', '%7E'])))
  .map(([query, fragment]) => (query === null ? '' : `?${query}`) + (fragment === null ? '' : `#${fragment}`));

const printable = 'Aaz09 !"#$%&\'()*+,-.:;<=>?@[]^_`{|}~éßK字\u200d';
const nativeSegment = some(printable.replace('.', ''), 1);
export const prefix = fc.array(nativeSegment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('.'));
export const suffix = some(`${printable}/`);
const uriPrefix = fc
  .array(escaped(PCHARS.replace('.', ''), ['%41', '%c3%a9', '%20', '%3a', '%40'], 1), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('.'));
const schemePrefix = fc
  .array(escaped("AZaz09-_~!$&'()*+,;=", ['%41', '%c3%a9', '%3a', '%40'], 1), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('.'));
const notDots = (text: string): boolean => !/^(?:\.|%2[eE]){1,2}$/.test(text);
const uriSuffix = escaped(PCHARS, ANY_ESCAPE, 1).filter(notDots);

const resolver = fc.record({
  scheme: fc.constantFrom('http', 'https', 'HTTP'),
  authority: fc.constantFrom('hdl.handle.net', 'H:80', 'h:443', '[::1]:8080', 'arrow.resolver.au.gov:2641'),
  firstSegment: fc.constantFrom(null, 'hdl', 'a:b', '%7Ea'),
});

const namespace = some('AZaz09-.', 1, 6);
const object = escaped('AZaz09-.~_', ['%3a', '%3A', '%ff'], 1);
const pid = fc.tuple(namespace, fc.constantFrom(':', '%3A', '%3a'), object).map((pieces) => pieces.join(''));
const ncName = fc.tuple(some('AZaz_', 1, 1), escaped('AZaz09-._', ['%c3%a9', '%41', '%C2%B7'])).map((p) => p.join(''));
const param = fc
  .tuple(
    escaped('abAB0-/:', ['%C3%A9', '%61', '%3d', '%F0%9F%98%80', '%EF%BF%BD'], 1),
    escaped('01=/?', ['%30', '%2b']),
  )
  .map((pieces) => pieces.join('='));
const params = fc.array(param, { maxLength: 5 }).map((list) => (list.length === 0 ? '' : `?${list.join('&')}`));

const cordraName = fc.tuple(digits, guid, tail).map(([na, id, rest]) => `${na}/${id}${rest}`);
const sample = (kind: Kind, context: Context, input: fc.Arbitrary<string>): fc.Arbitrary<Sample> =>
  input.map((text) => ({ kind, context, input: text }));
const joined = (...pieces: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...pieces).map((texts) => texts.join(''));
const text = fc.constant;

/** Naming authorities of four digit segments may be IPv4 addresses, which have no host form. */
const hostName = digits.filter((na) => na.split('.').length !== 4);

export const samples: fc.Arbitrary<Sample> = fc.oneof(
  sample('cordra', {}, cordraName),
  sample('handle', {}, joined(prefix, text('/'), suffix)),
  sample('hdl-uri', { profile: 'cordra' }, joined(anyCase('hdl:'), cordraName)),
  sample('hdl-uri', { profile: 'cordra' }, joined(anyCase('hdl'), text('://'), hostName, text('/'), guid, tail)),
  sample('hdl-uri', { profile: 'generic' }, joined(anyCase('hdl:'), uriPrefix, text('/'), uriSuffix, tail)),
  sample('hdl-uri', { profile: 'generic' }, joined(text('hdl://'), schemePrefix, text('/'), uriSuffix, tail)),
  sample('hdl-uri', {}, joined(text('hdl:'), uriPrefix, text('/'), uriSuffix, tail)),
  sample(
    'hdl-uri',
    { profile: 'handle-scheme' },
    joined(text('hdl:'), fc.constantFrom('', '//'), schemePrefix, text('/'), escaped(`${PCHARS}/`, ANY_ESCAPE), tail),
  ),
  sample(
    'hdl-uri',
    { profile: 'handle-scheme', hdlAuthority: 'server' },
    joined(
      text('hdl://'),
      fc.constantFrom('H', 'h:', 'a%2db:2641', '[FE80::1]', '1.2.3.4'),
      text('/'),
      schemePrefix,
      text('/'),
      uriSuffix,
      tail,
    ),
  ),
  fc.tuple(resolver, fc.oneof(cordraName, joined(uriPrefix, text('/'), uriSuffix, tail))).map(([config, name]) => {
    const first = config.firstSegment === null ? '' : `${config.firstSegment}/`;
    const input = `${config.scheme}://${config.authority}/${first}${name}`;
    return { kind: 'http-uri' as const, context: { resolver: config }, input };
  }),
  sample(
    'info-hdl',
    { profile: 'generic' },
    joined(anyCase('info:hdl/'), uriPrefix, text('/'), escaped(`${PCHARS}/`, ANY_ESCAPE)),
  ),
  sample(
    'info-hdl',
    { profile: 'cordra' },
    joined(text('info:hdl/'), digits, text('/'), guid, fc.constantFrom('', '%3fa=%25c3', '%23b')),
  ),
  sample('fedora-pid', {}, pid),
  sample('fedora-uri', {}, joined(anyCase('info:fedora/'), pid)),
  sample('fedora-dissemination', {}, joined(text('info:fedora/'), pid, text('/'), ncName)),
  sample('fedora-dissemination', {}, joined(text('info:fedora/'), pid, text('/'), pid, text('/'), ncName, params)),
  sample('uuid', {}, guid),
  sample(
    'uuid',
    {},
    guid.map((hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
  ),
);

/** Texts of significant pieces, most of them malformed in different ways. */
export const rubble: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        'hdl:',
        'info:',
        'hdl/',
        'fedora/',
        'http://',
        'hdl.handle.net',
        'doi:',
        'urn:uuid:',
        '/',
        '//',
        '.',
        ':',
        '?',
        '#',
        '&',
        '=',
        '%',
        '%41',
        '%C3',
        '%2F',
        '[',
        ']',
        '@',
        '{',
        '}',
        '-',
        ' ',
        '100',
        'demo',
        'F58FB49EB1F848F0A606E84CEF294BE5',
        'é',
        '\ud800',
        '\u{1f600}',
        '\u0000',
        '\ufeff',
      ),
      { maxLength: 10 },
    )
    .map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
);
