import { describe, expect, it } from '@jest/globals';
import { readJsonBody } from '../../src/http/json-body.js';

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

  it('is absent when there are no octets', () => {
    expect(read('')).toBeUndefined();
  });

  it.each([
    ['two values under one key', '{"a":1,"a":2}', 'stands twice'],
    ['a whole number that JavaScript cannot hold', '[9007199254740993]', 'too large'],
    ['a number beyond all', '1e999', 'too large'],
    ['__proto__', '{"a":[{"__proto__":{}}]}', '__proto__'],
    ['a name that every object has', '{"valueOf":1}', 'valueOf'],
    ['nesting without end', `${'['.repeat(40)}${']'.repeat(40)}`, 'too deeply'],
    ['constructor', '{"constructor":1}', 'constructor'],
    ['nothing but white space', ' ', 'end of input'],
    ['a control character in a string', '"a\u0001"', 'Invalid character'],
  ])('is refused with its reason: %s', (_, text, reason) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'MALFORMED_JSON', detail: expect.stringContaining(reason) }),
    );
  });
});
