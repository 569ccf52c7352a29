import { describe, expect, it } from '@jest/globals';
import { type Kind, normalize, type SyntaxCode } from '../../packages/identifier/src/index.js';

const MIB = 1024 * 1024;
const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

type Row = readonly [title: string, kind: Kind | undefined, input: string, code: SyntaxCode | null];

/** Hostile texts of 1 MiB and more; null where the text is valid. The benchmark measures their time. */
const ROWS: readonly Row[] = [
  ['a naming authority of one segment', 'handle', `${'1'.repeat(MIB)}/x`, null],
  ['a naming authority of many segments', 'cordra', `${'1.'.repeat(MIB / 2)}1/${GUID}`, null],
  ['a naming authority that ends in a dot', 'cordra', `${'1.'.repeat(MIB / 2)}/${GUID}`, 'INVALID_NAMING_AUTHORITY'],
  ['hexadecimal digits', 'cordra', `1/${'a'.repeat(MIB)}`, 'INVALID_GUID'],
  ['a query of question marks', 'cordra', `1/${GUID}${'?'.repeat(MIB)}`, null],
  ['hashes', 'cordra', `1/${GUID}${'#'.repeat(MIB)}`, 'INVALID_FRAGMENT'],
  ['slashes', 'hdl-uri', `hdl:${'/'.repeat(MIB)}`, 'INVALID_AUTHORITY'],
  ['percent signs', 'hdl-uri', `hdl:1/${'%'.repeat(MIB)}`, 'INVALID_PERCENT_ENCODING'],
  ['escapes', 'hdl-uri', `hdl:1/${'%41'.repeat(MIB / 3)}`, null],
  ['escaped letters of other scripts', 'info-hdl', `info:hdl/1/${'%C3%A9'.repeat(MIB / 6)}`, null],
  ['lead octets', 'info-hdl', `info:hdl/1/${'%C3'.repeat(MIB / 3)}`, 'INVALID_UTF8'],
  ['a late lead octet', 'info-hdl', `info:hdl/1/${'%41'.repeat(MIB / 3)}%C3`, 'INVALID_UTF8'],
  ['brackets', 'http-uri', `http://hdl.handle.net/1/${'['.repeat(MIB)}`, 'INVALID_CHARACTER'],
  ['an authority of colons', 'http-uri', `http://${':'.repeat(MIB)}/1/2`, 'INVALID_AUTHORITY'],
  ['an authority of at signs', 'http-uri', `http://${'@'.repeat(MIB)}/1/2`, 'AUTHORITY_MISMATCH'],
  ['a scheme', 'hdl-uri', `${'a'.repeat(MIB)}:1/2`, 'WRONG_SCHEME'],
  ['colons', 'fedora-pid', `a${':'.repeat(MIB)}`, 'INVALID_PID'],
  ['a PID', 'fedora-pid', `a:${'b'.repeat(MIB)}`, 'PID_TOO_LONG'],
  ['a PID of escapes', 'fedora-pid', `a:${'%3a'.repeat(MIB / 3)}`, 'PID_TOO_LONG'],
  ['a datastream ID', 'fedora-dissemination', `info:fedora/a:1/${'b'.repeat(MIB)}`, 'INVALID_DATASTREAM_ID'],
  ['equal parameters', 'fedora-dissemination', `info:fedora/a:1/b:1/m?${'a=b&'.repeat(MIB / 4)}a=b`, null],
  [
    'equal parameters before an escape',
    'fedora-dissemination',
    `info:fedora/a:1/b:1/m?${'a=b&'.repeat(MIB / 4)}a=%41`,
    null,
  ],
  ['ampersands', 'fedora-dissemination', `info:fedora/a:1/b:1/m?a=b${'&'.repeat(MIB)}`, 'INVALID_PARAM'],
  ['hyphens', 'uuid', '-'.repeat(MIB), 'INVALID_UUID'],
  ['braces', 'uuid', '{'.repeat(MIB), 'INVALID_UUID'],
  ['characters beyond UCS-2', 'handle', `1/${'\u{1f600}'.repeat(MIB / 2)}`, 'NOT_UCS2'],
  ['white space', undefined, `${' '.repeat(MIB)}1/2${'\n'.repeat(MIB)}`, null],
  ['white space before the slash', undefined, `1${' '.repeat(MIB)}1/2`, 'INVALID_NAMING_AUTHORITY'],
  ['slashes of a proxy URL', undefined, `https://doi.org/10.1/${'/'.repeat(MIB)}`, null],
  ['raw letters in a URI', undefined, `hdl:1/${'é'.repeat(MIB)}`, null],
  ['letters', undefined, 'x'.repeat(MIB), 'NOT_RECOGNIZED'],
];

describe('hostile texts', () => {
  it.each(ROWS)('%s: the result is that of the rule', (_title, kind, input, code) => {
    const found = normalize(input, kind);
    expect(found.valid ? null : found.fault.code).toBe(code);
    if (!found.valid) expect(found.fault.detail.length).toBeLessThan(300);
  });

  it('long names are written whole, wherever their chunks end', () => {
    for (let lead = 0; lead < 20; lead++) {
      const name = `1/${'a'.repeat(lead)}${'bé\u{1f600}'.repeat(3000)}`;
      const uri = `info:hdl/1/${'a'.repeat(lead)}${'b%C3%A9%F0%9F%98%80'.repeat(3000)}`;
      expect(normalize(name, 'handle', { charset: 'unicode' })).toMatchObject({ uris: { infoHdl: uri } });
      expect(normalize(uri, 'info-hdl', { charset: 'unicode' })).toMatchObject({ parts: { handle: name } });
    }
  });
});
