import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { parseTextArray } from '../../src/database/text-array.js';

const parserOf: (type: number) => (text: string) => unknown = pg.types.getTypeParser;
const parserOfPg = parserOf(1009);

/** As PostgreSQL writes an element: in quotes only where it must be. */
const written = (value: string | null): string => {
  if (value === null) return 'NULL';
  return /^null$/i.test(value) || /^$|[{}",\\\s]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value;
};

it('any texts and nulls are read as they are, as by pg', () => {
  const pieces = fc.constantFrom('"', '\\', '{', '}', ',', ' ', '\n', 'NULL', 'null', 'a', 'é', '😀', '');
  const texts = fc.array(pieces).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(fc.option(texts)), (values) => {
      const array = `{${values.map(written).join(',')}}`;
      expect(parseTextArray(array)).toEqual(values);
      expect(parserOfPg(array)).toEqual(values);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['{}', []],
  ['[0:1]={a,b}', ['a', 'b']],
  ['{100.102/0A,"oai:x y"}', ['100.102/0A', 'oai:x y']],
  ['{"{{"}', ['{{']],
  [
    '{{100.102/0A,"oai:x y"},{100.102/0B,NULL}}',
    [
      ['100.102/0A', 'oai:x y'],
      ['100.102/0B', null],
    ],
  ],
])('%s', (array, values) => {
  expect(parseTextArray(array)).toEqual(values);
});
