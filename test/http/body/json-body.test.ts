import { describe, expect, it } from '@jest/globals';
import { readJsonBody } from '../../../src/http/body/json-body.js';
import type { Problem } from '../../../src/problem/problem.js';
import { limitMs } from '../../e2e/harness/stalls.js';

const read = (text: string) => readJsonBody(Buffer.from(text));

describe('a JSON body', () => {
  it.each(['{"a":"x"}', '[1,-2.5,1e3,true,null,"é"]', '"\\ud83d\\ude00"', '{"a":{"b":[{}]}}', '9007199254740991'])(
    'is read as JSON.parse reads it: %s',
    (text) => {
      expect(read(text)).toEqual(JSON.parse(text));
    },
  );

  it('may begin with a byte order mark, which is no part of it (RFC 8259 8.1)', () => {
    expect(read('\ufeff{}')).toEqual({});
  });

  it('is absent when there are no bytes', () => {
    expect(read('')).toBeUndefined();
  });

  it.each([
    ['a key that stands twice with one value', '{"a":1,"a":1}', 'duplicate key'],
    ['a key that stands twice in a large body', `{"a":1,"b":"${'x'.repeat(100_000)}","a":2}`, 'duplicate key'],
    ['a key that stands twice, once escaped', '{"a":1,"\\u0061":2}', 'occurs twice'],
    [
      '101 members in an object',
      JSON.stringify(Object.fromEntries([...Array(101).keys()].map((i) => [`m${i}`, 1]))),
      '100 members',
    ],
    ['two values under one key', '{"a":1,"a":2}', 'occurs twice'],
    ['a whole number that JavaScript cannot hold', '[9007199254740993]', 'too large'],
    ['a number beyond all', '1e999', 'too large'],
    ['__proto__', '{"a":[{"__proto__":{}}]}', '__proto__'],
    ['a name that every object has', '{"valueOf":1}', 'valueOf'],
    ['nesting without end', `${'['.repeat(40)}${']'.repeat(40)}`, 'too deeply'],
    ['constructor', '{"constructor":1}', 'constructor'],
    ['nothing but white space', ' ', 'end of input'],
    ['a control character in a string', '"a\u0001"', 'Invalid character'],
  ])('is rejected with its reason: %s', (_, text, reason) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'MALFORMED_JSON', detail: expect.stringContaining(reason) }),
    );
  });

  it('with colons, commas and brackets in its strings has no more members for it', () => {
    const value = { a: '{"b":1,[":"]', '"c\\': '\\"', d: ['\\', '"', '\u2028', ':'] };
    for (const space of [0, 2, '\t']) expect(read(JSON.stringify(value, null, space))).toEqual(value);
  });
});

const SIZE = 16_000_000;

/** Bodies of 16 MB that are slow to parse: a repeated piece between a start and an end. */
const EXPENSIVE: readonly (readonly [string, string, string | ((i: number) => string), string])[] = [
  ['nested arrays', '', '[', ''],
  ['nested objects', '', '{"a":', ''],
  ['empty arrays', '[', '[],', '[]]'],
  ['empty objects', '[', '{},', '{}]'],
  ['objects with one key each', '[', (i) => `{"k${i}":1},`, '1]'],
  ['keys in one object', '{', (i) => `"k${i}":1,`, '"k":1}'],
  ['keys that are indexes', '{', (i) => `"${i * 7919}":1,`, '"k":1}'],
  ['one key again and again', '{', '"a":1,', '"a":2}'],
  ['numbers', '[', '1,', '1]'],
  ['one number', '', '9', ''],
  ['fractions', '[', '1.5e-9,', '1]'],
  ['long fractions within the bounds', '[', `0.${'7'.repeat(1000)},`, '1]'],
  ['escapes within the bounds', '["', '\\u0041', '"]'],
  ['empty strings', '[', '"",', '""]'],
  ['white space within the bounds', '{"a":', ' ', '1}'],
  ['objects within the bounds', '[', (i) => `{"k${i % 90_000}":"${'x'.repeat(160)}"},`, '1]'],
  [
    'members within the bounds',
    '[',
    (i) => `{${[...Array(12).keys()].map((k) => `"k${i}_${k}":"${'x'.repeat(95)}"`).join()}},`,
    '1]',
  ],
  ['values within the bounds', '["', 'xxxxxxxxxxx","', '"]'],
];

/** A piece as often as it fits into a length. */
function repeated(piece: string | ((i: number) => string), length: number): string {
  if (typeof piece === 'string') return piece.repeat(Math.floor(length / piece.length));
  let text = '';
  for (let i = 0; text.length < length; i++) text += piece(i);
  return text;
}

describe.each(EXPENSIVE)('16 MB of JSON of %s', (name, before, piece, after) => {
  it('takes less than a second of processor time', () => {
    const bytes = Buffer.from(before + repeated(piece, SIZE - 2000) + after);
    let code = 'read';
    const start = process.cpuUsage();
    try {
      readJsonBody(bytes);
    } catch (error) {
      code = (error as Problem).code;
    }
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(limitMs(1000));
    expect(code).toBe(name.endsWith('within the bounds') ? 'read' : 'MALFORMED_JSON');
  });
});
