import { describe, expect, it } from '@jest/globals';
import { compile, LIBRARY, weigh } from './consumer.js';

/** A program that uses names of the library. */
const using = (names: string, ...lines: readonly string[]): string =>
  [`import { ${names} } from '${LIBRARY}';`, ...lines].join('\n');

const COMPILED: readonly (readonly [string, string])[] = [
  [
    'the kind of a result says what its name is',
    using(
      'normalize',
      "const read = normalize('10.1/x');",
      "export const guid: string | null = read.valid && read.kind === 'cordra' ? read.name.guid : null;",
      "export const hex: string | null = read.valid && read.kind === 'uuid' ? read.parts.hyphenated : null;",
    ),
  ],
  [
    'a requested kind is that of the result',
    using(
      'normalize, type CordraId, type CordraParts, type Normalized',
      "const read = normalize('10.1/x', 'cordra');",
      'if (!read.valid) throw new Error(read.fault.detail);',
      'export const name: CordraId = read.name;',
      'export const parts: CordraParts = read.parts;',
      "export const again: Normalized<'cordra'> = read;",
    ),
  ],
  [
    'a kind that is not known is any',
    using(
      'normalize, type Kind, type Name, type Parts',
      'export function f(text: string, kind: Kind | undefined, known: Kind): Name | Parts | null {',
      '  const [one, other] = [normalize(text, kind), normalize(text, known, {})];',
      '  return one.valid ? one.name : other.valid ? other.parts : null;',
      '}',
    ),
  ],
  [
    'recognition says what its name is',
    using(
      'recognize',
      "const read = recognize('demo:1');",
      "export const x: string = read.ok && read.value.kind === 'fedora-pid' ? read.value.name.namespaceId : '';",
    ),
  ],
  [
    'copies and results are exported',
    using(
      'normalize, recognize, toCordraId, toFedoraDissemination, toHdlUri, toHttpUri, toResolver, toUuid, parseHandle',
      "export const id = { ...toCordraId('1/x'), guid: 'zz' };",
      "export const uri = { ...toHdlUri('hdl:1/x') };",
      "export const http = { ...toHttpUri('http://h/1/x') };",
      "export const call = { ...toFedoraDissemination('info:fedora/a:1/DC') };",
      "export const resolver = { ...toResolver({ scheme: 'http', authority: 'h' }) };",
      "export const { hex, ...rest } = toUuid('x');",
      "export const read = recognize('x');",
      'export const reading = read.ok ? { ...read.value } : null;',
      "export const found = normalize('x', 'cordra');",
      "export const all = { ...normalize('x') };",
      "export const handle = { ...parseHandle('1/x') };",
    ),
  ],
  [
    'a value is branded, and a copy is one again by its function',
    using(
      'toCordraId, type Branded, type CordraId',
      "export const branded: Branded = toCordraId('1/x');",
      "export const id: CordraId = toCordraId({ ...toCordraId('1/x'), guid: 'zz' });",
    ),
  ],
];

const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    'a changed copy is no CORDRA identifier',
    using('toCordraId, type CordraId', "export const x: CordraId = { ...toCordraId('1/x'), guid: 'zz' };"),
    "TS2741 Property 'brand' is missing",
  ],
  [
    'a copy of an HTTP URI is none',
    using('toHttpUri, formatHttpUri', "export const x = formatHttpUri({ ...toHttpUri('http://h/1/x') });"),
    'TS2345 Argument of type \'{ type: "http-uri";',
  ],
  [
    'an object of the same shape is no Handle',
    using('formatHandle', "formatHandle({ type: 'handle', namingAuthority: '1', localName: 'x' });"),
    'TS2345 ',
  ],
  [
    'another kind has other parts',
    using('normalize', "const read = normalize('1/x', 'handle');", 'export const x = read.valid && read.parts.guid;'),
    "TS2339 Property 'guid' does not exist on type 'HandleParts'",
  ],
  [
    'a value is read after a look at the fault',
    using('parseHandle', "export const x = parseHandle('1/x').value;"),
    "TS2339 Property 'value' does not exist",
  ],
  ['no option has another name', using('parseHandle', "parseHandle('1/x', { chars: 'unicode' });"), 'TS2561 '],
  ['what is no export is not imported', using('brand', 'brand;'), 'TS2724 '],
  [
    'a file of the package is not imported',
    "import { brand } from '@mintmark/identifier/dist/brand.js'; brand;",
    'TS2307 ',
  ],
];

describe('the compiler, for a program of a consumer', () => {
  it.each(COMPILED)('%s', (_, program) => {
    expect(compile(program)).toEqual([]);
  });

  it.each(REFUSED)('%s', (_, program, error) => {
    const errors = compile(program);
    expect([errors.length, errors[0]?.slice(0, error.length)]).toEqual([1, error]);
  });

  it('a program in CommonJS imports the package', () => {
    expect(compile(using('isHandle', "export const is = isHandle('1/x');"), 'program.cts')).toEqual([]);
  });
});

describe('the size in a bundle for browsers, compressed', () => {
  it.each([
    ['all', `export * from '${LIBRARY}';`, 15 * 1024],
    ['Handles', using('parseHandle', "console.log(parseHandle('1/x'));"), 1229],
    ['hdl URIs', using('parseHdlUri', "console.log(parseHdlUri('hdl:1/x'));"), 6 * 1024],
    ['an unused import', using('parseHandle', ''), 64],
  ])('%s', async (_, program, most) => {
    expect(await weigh(program)).toBeLessThanOrEqual(most);
  });
});
