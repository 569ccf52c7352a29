import { describe, expect, it } from '@jest/globals';
import { type Context, type Kind, normalize, SYNTAX_CODES } from '../../packages/identifier/src/index.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const resolver = { scheme: 'http', authority: 'h', firstSegment: 'x' };
const scheme: Context = { profile: 'handle-scheme' };
const server: Context = { profile: 'handle-scheme', hdlAuthority: 'server' };
const generic: Context = { profile: 'generic' };
const cordra: Context = { profile: 'cordra' };

type Row = readonly [input: string, kind: Kind, context: Context, code: string, offset: number, rule: string];

/** The offset of the fault in each text, in UTF-16 code units of the original text. */
const ROWS: readonly Row[] = [
  ['100.102', 'cordra', {}, 'MISSING_SEPARATOR', 7, 'CID-04'],
  [`10.A/${GUID}`, 'cordra', {}, 'INVALID_NAMING_AUTHORITY', 3, 'CID-08'],
  [`10./${GUID}`, 'cordra', {}, 'INVALID_NAMING_AUTHORITY', 3, 'CID-06'],
  [`1/${GUID.slice(1)}`, 'cordra', {}, 'INVALID_GUID', 33, 'CID-10'],
  [`1/${GUID}0`, 'cordra', {}, 'INVALID_GUID', 34, 'CID-10'],
  ['1/F58G', 'cordra', {}, 'INVALID_GUID', 5, 'CID-10'],
  [`1/${GUID}?a b`, 'cordra', {}, 'INVALID_QUERY', 36, 'CID-16'],
  [`1/${GUID}?%4`, 'cordra', {}, 'INVALID_QUERY', 35, 'CID-16'],
  [`1/${GUID}?#a#`, 'cordra', {}, 'INVALID_FRAGMENT', 37, 'CID-19'],
  ['1/a\u0000', 'handle', {}, 'INVALID_CHARACTER', 3, 'R-29'],
  ['é/\u{1f600}', 'handle', {}, 'NOT_UCS2', 2, 'HS-02'],
  ['1/\u{1f600}\ud800', 'handle', { charset: 'unicode' }, 'INVALID_CHARACTER', 4, 'HS-03'],
  ['1.2..3/x', 'handle', {}, 'INVALID_NAMING_AUTHORITY', 4, 'HUS-07'],
  ['1/2', 'hdl-uri', generic, 'MISSING_SCHEME', 0, 'URI-05'],
  ['doi:1/2', 'hdl-uri', generic, 'WRONG_SCHEME', 0, 'URI-05'],
  ['hdl:1/é', 'hdl-uri', generic, 'INVALID_CHARACTER', 6, 'URI-24'],
  ['hdl:1/[', 'hdl-uri', generic, 'INVALID_CHARACTER', 6, 'URI-24'],
  ['hdl:1/a%2', 'hdl-uri', generic, 'INVALID_PERCENT_ENCODING', 7, 'HUS-14'],
  ['hdl:1/%41%C3%28', 'hdl-uri', generic, 'INVALID_UTF8', 9, 'URI-24'],
  ['hdl:1/%41%C3%A9%07x', 'hdl-uri', generic, 'INVALID_CHARACTER', 15, 'R-29'],
  ['hdl:%31%2F2/3', 'hdl-uri', generic, 'INVALID_NAMING_AUTHORITY', 7, 'R-08'],
  ['hdl:1/%F0%9F%98%80', 'hdl-uri', generic, 'NOT_UCS2', 6, 'HS-02'],
  ['hdl:1/a?b[', 'hdl-uri', generic, 'INVALID_QUERY', 9, 'URI-20'],
  ['hdl:1/a?b#c#', 'hdl-uri', generic, 'INVALID_FRAGMENT', 11, 'URI-20'],
  ['hdl:1', 'hdl-uri', generic, 'SEGMENT_COUNT', 5, 'URI-16'],
  ['hdl:1/2/3', 'hdl-uri', generic, 'SEGMENT_COUNT', 7, 'URI-16'],
  ['hdl:/2', 'hdl-uri', generic, 'INVALID_NAMING_AUTHORITY', 4, 'URI-19'],
  ['hdl:1/', 'hdl-uri', generic, 'EMPTY_LOCAL_NAME', 6, 'URI-19'],
  ['hdl:///2', 'hdl-uri', generic, 'INVALID_AUTHORITY', 6, 'URI-09'],
  ['hdl://a@b/2', 'hdl-uri', generic, 'INVALID_AUTHORITY', 7, 'URI-10'],
  ['hdl://1.2.3.4/2', 'hdl-uri', generic, 'INVALID_AUTHORITY', 6, 'R-07'],
  ['hdl:%31/%46%47', 'hdl-uri', cordra, 'INVALID_GUID', 11, 'CID-10'],
  ['hdl:1:2/3', 'hdl-uri', scheme, 'INVALID_CHARACTER', 5, 'HUS-11'],
  ['hdl:1', 'hdl-uri', scheme, 'MISSING_SEPARATOR', 5, 'HUS-06'],
  ['hdl://h:x/1/2', 'hdl-uri', server, 'INVALID_AUTHORITY', 8, 'URI-36'],
  ['hdl://h', 'hdl-uri', server, 'MISSING_SEPARATOR', 7, 'HUS-06'],
  ['https://h/x/1/2', 'http-uri', { resolver }, 'WRONG_SCHEME', 0, 'URI-29'],
  ['http:/h/x/1/2', 'http-uri', { resolver }, 'INVALID_AUTHORITY', 5, 'URI-29'],
  ['http://i/x/1/2', 'http-uri', { resolver }, 'AUTHORITY_MISMATCH', 7, 'URI-30'],
  ['http://h/y/1/2', 'http-uri', { resolver }, 'FIRST_SEGMENT_MISMATCH', 9, 'URI-32'],
  ['http://h/x/1', 'http-uri', { resolver }, 'SEGMENT_COUNT', 12, 'URI-31'],
  ['http://h/x/1/2/3', 'http-uri', { resolver }, 'SEGMENT_COUNT', 14, 'URI-31'],
  ['http://h/x/1/', 'http-uri', { resolver }, 'EMPTY_LOCAL_NAME', 13, 'URI-19'],
  ['http://h/x/1/..', 'http-uri', { resolver }, 'SEGMENT_COUNT', 13, 'R-34'],
  ['info:doi/1', 'info-hdl', {}, 'WRONG_NAMESPACE', 5, 'HUS-01'],
  ['info:hdl/1', 'info-hdl', {}, 'MISSING_SEPARATOR', 10, 'HUS-06'],
  ['info:hdl/1/2?', 'info-hdl', {}, 'UNEXPECTED_QUERY', 12, 'R-19'],
  [`info:hdl/1/${GUID}%3Fa%5B`, 'info-hdl', cordra, 'INVALID_QUERY', 47, 'CID-16'],
  [`info:hdl/1/${GUID}#`, 'info-hdl', cordra, 'INVALID_FRAGMENT', 43, 'R-30'],
  ['a_b:1', 'fedora-pid', {}, 'INVALID_PID', 1, 'FED-03'],
  ['a:b:c', 'fedora-pid', {}, 'INVALID_PID', 3, 'FED-04'],
  ['a:b%4', 'fedora-pid', {}, 'INVALID_PID', 3, 'FED-05'],
  [`a%3A${'b'.repeat(63)}`, 'fedora-pid', {}, 'PID_TOO_LONG', 66, 'FED-06'],
  [`${'a'.repeat(70)}:1`, 'fedora-pid', {}, 'PID_TOO_LONG', 64, 'FED-06'],
  ['info:fedora/a', 'fedora-uri', {}, 'INVALID_PID', 13, 'FED-02'],
  ['info:fedora/a:1?', 'fedora-uri', {}, 'UNEXPECTED_QUERY', 15, 'FED-16'],
  ['info:fedora/a:1/%C3%A9%20', 'fedora-dissemination', {}, 'INVALID_DATASTREAM_ID', 22, 'FED-10'],
  ['info:fedora/a:1/a:2/1', 'fedora-dissemination', {}, 'INVALID_METHOD_NAME', 20, 'FED-10'],
  ['info:fedora/a:1/a:2/m?b=1&c', 'fedora-dissemination', {}, 'INVALID_PARAM', 27, 'FED-16'],
  ['info:fedora/a:1/a:2/m?=1', 'fedora-dissemination', {}, 'INVALID_PARAM', 22, 'FED-16'],
  ['info:fedora/a:1/a:2/m/n', 'fedora-dissemination', {}, 'SEGMENT_COUNT', 21, 'FED-14'],
  ['f58fb49e-b1f8x', 'uuid', {}, 'INVALID_UUID', 13, 'UUID-01'],
  ['{f58f}', 'uuid', {}, 'INVALID_UUID', 5, 'UUID-01'],
];

describe('a refusal has the offset of the fault and the violated rule', () => {
  it.each(ROWS)('%j as %s in %j: %s at %d by %s', (input, kind, context, code, offset, rule) => {
    const found = normalize(input, kind, context);
    expect(found.valid ? found : [found.fault.code, found.fault.offset, found.fault.rule]).toEqual([
      code,
      offset,
      rule,
    ]);
  });

  it('has a row for every code', () => {
    const shown = new Set([...ROWS.map(([, , , code]) => code), 'NOT_RECOGNIZED']);
    expect(SYNTAX_CODES.filter((code) => !shown.has(code))).toEqual([]);
  });

  it.each(ROWS)('%j as %s in %j: the detail is a sentence of reasonable length', (input, kind, context) => {
    const found = normalize(input, kind, context);
    expect(found.valid ? '' : found.fault.detail).toMatch(/^.{10,300}$/);
  });
});
