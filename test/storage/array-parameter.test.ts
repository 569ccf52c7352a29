import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { arrayOf } from '../../src/storage/statement.js';

/** The OIDs of PostgreSQL's types. */
const TEXT_ARRAY = 1009;
const INTEGER_ARRAY = 1007;

const parserOf: (type: number) => (text: string) => unknown = pg.types.getTypeParser;
const read = (text: string | null, type: number) => parserOf(type)(text ?? '');

/** Texts that PostgreSQL can store: without NUL. */
const texts = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));

it('any texts are read back as they are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(texts, fc.constantFrom('"', '\\', '\\"', '{', '},', 'NULL', 'null', '', ' '))),
      (values) => {
        fc.pre(values.length > 0);
        expect(read(arrayOf(values), TEXT_ARRAY)).toEqual(values);
      },
    ),
  );
});

it('numbers are numbers, and nulls between them stay nulls', () => {
  expect(read(arrayOf([1, null, -2]), INTEGER_ARRAY)).toEqual([1, null, -2]);
});

it('the text NULL is no null', () => {
  expect(read(arrayOf(['NULL', null]), TEXT_ARRAY)).toEqual(['NULL', null]);
});

it.each([[[]], [[null]], [[null, null]]])('%j has no values, and is no array', (values) => {
  expect(arrayOf(values)).toBeNull();
});
