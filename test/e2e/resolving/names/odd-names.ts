import { readFileSync } from 'node:fs';

interface Vector {
  readonly expect: { readonly valid: boolean; readonly parts?: { readonly localName?: string } };
}

const vectorsIn = (path: string): Vector[] =>
  (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { vectors: Vector[] }).vectors;

/** The local names of the vectors that can be registered; clients remove "." and ".." from paths. */
const OF_VECTORS = [...vectorsIn('../../../vectors/public.json'), ...vectorsIn('../../../identifier/vectors.more.json')]
  .filter(({ expect }) => expect.valid)
  .flatMap(({ expect }) => expect.parts?.localName ?? [])
  .filter((name) => name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 8192)
  // Handles with characters beyond UCS-2 cannot be registered.
  .filter((name) => [...name].length === name.length);

/** The characters of ASCII that a Handle may contain. */
const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));

const HEX = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';

/** Local names with each character of ASCII inside and at the ends, and with what a notation could take for its own. */
export const ODD_NAMES: readonly string[] = [
  ...new Set([
    ...ASCII.map((character) => `a${character}b`),
    ...ASCII.filter((character) => character !== '.'),
    ...ASCII.map((character) => `${character}x${character}`),
    ...OF_VECTORS,
    ...['a/b/c', '/leading', 'trailing/', '//', 'a/../b', '..a', '...', 'a/./b', '../x', 'x/..'],
    ...['%41', '%2F', '%zz', '100%', '%25', 'a%00', '%C3%28', ' spaces ', '  ', 'hdl:1/2', 'info:hdl/1/2'],
    ...[
      'http://hdl.handle.net/1/2',
      'identifiers',
      'uris',
      'history',
      'api/handles',
      '?',
      '??',
      '#',
      '?a=b&c=d',
      ';x=1',
    ],
    ...['Größe', '識別子', 'e\u0301', '\u00e9', 'ไทย', '\u200d', 'שלום', '\ufb00', 'ß'],
    ...['"<>[]\\^`{|}', "<script>alert('x')</script>", '&amp;', '../../etc/passwd', '__proto__', 'constructor'],
    ...[HEX, HEX.toUpperCase(), `${HEX}?x`, `${HEX}#x`, 'x'.repeat(2000), '%'.repeat(300)],
  ]),
];
