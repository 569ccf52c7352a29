import { describe, expect, it } from '@jest/globals';
import { HandleFault, parseExportedValues, parseValues } from '../../../src/handle/values/index.js';

const NOW = new Date('2026-11-22T04:29:43.900Z');
const valuesIn = (body: unknown) => parseValues(body, NOW).values;
const value = (members: object = {}) => ({ index: 1, type: 'T', data: 'v', ...members });
const dataOf = (data: unknown) => valuesIn([value({ data })])[0]!.data;

/** The code and the message of what parsing throws. */
function faultOf(body: unknown): [number, string] {
  try {
    parseValues(body, NOW);
  } catch (error) {
    if (error instanceof HandleFault) return [error.responseCode, error.message];
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the body of a write', () => {
  it('is a list of values, one value, or an object with values', () => {
    const stored = {
      ...{ index: 1, type: 'T', data: { format: 'string', value: 'v' } },
      ...{ ttl: 86_400, permissions: '1110', timestamp: '2026-11-22T04:29:43Z' },
    };
    expect(parseValues([value()], NOW)).toEqual({ values: [stored], handle: null });
    expect(parseValues(value(), NOW)).toEqual({ values: [stored], handle: null });
    expect(parseValues({ values: [value()], handle: '1/a' }, NOW)).toEqual({ values: [stored], handle: '1/a' });
    expect(valuesIn({ values: null })).toEqual([]);
    expect(valuesIn([])).toEqual([]);
  });

  it.each([[{}], ['text'], [null], [{ values: {} }], [{ values: [], handle: 5 }], [[5]], [[[]]]])(
    'is rejected with code 4: %j',
    (body) => {
      expect(faultOf(body)[0]).toBe(4);
    },
  );

  it('has at most 500 values of 32 KiB together', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ index: at + 1, type: '', data: '' }));
    expect(faultOf(many(501))).toEqual([4, 'a record has at most 500 values']);
    expect(faultOf([value({ data: 'x'.repeat(32_768) })])[1]).toMatch(/at most 32768 bytes/);
    expect(valuesIn(many(200)).length).toBe(200);
  });

  it('has its values in the order of their indexes, and two of one index are a conflict', () => {
    expect(valuesIn([value({ index: 100 }), value({ index: 4 })]).map(({ index }) => index)).toEqual([4, 100]);
    expect(faultOf([value({ index: 4 }), value({ index: '4' })])).toEqual([201, 'Index conflict for 4']);
  });
});

describe('a value', () => {
  it.each([
    [200, 200],
    ['200', 200],
    [1.5, 1],
    [2_147_483_647, 2_147_483_647],
  ])('has the index %j as %j', (sent, index) => {
    expect(valuesIn([value({ index: sent })])[0]!.index).toBe(index);
  });

  it.each([[0], [-1], ['0'], [2_147_483_648], [0.5]])('is rejected with the index %j', (index) => {
    expect(faultOf([value({ index })])).toEqual([202, 'Value indexes must be positive']);
  });

  it.each([['abc'], [true], [[]], ['1.5']])('is rejected with an index that is no number: %j', (index) => {
    expect(faultOf([value({ index })])[0]).toBe(4);
  });

  it.each([['index'], ['type'], ['data']])('needs the member %s', (name) => {
    expect(faultOf([{ ...value(), [name]: undefined }])[0]).toBe(4);
  });

  it.each([['index'], ['type'], ['data'], ['ttl'], ['timestamp'], ['permissions']])('has no null as %s', (name) => {
    expect(faultOf([value({ [name]: null })])[0]).toBe(4);
  });

  it('has no references, which would be lost', () => {
    const referring = value({ references: [{ handle: '1/2', index: 3 }] });
    const message = 'references of values are not stored; leave them out';
    expect(faultOf([referring])).toEqual([4, message]);
    expect(() => parseExportedValues([{ ...referring, timestamp: '2026-01-01T00:00:00Z' }])).toThrow(message);
    expect(valuesIn([value({ references: [] })])).toEqual(valuesIn([value()]));
  });

  it('keeps an empty type and ignores members that are unknown, and its time is that of the server', () => {
    const [parsed] = valuesIn([value({ type: '', more: null, timestamp: '1999-01-01T00:00:00Z' })]);
    expect([parsed!.type, parsed!.timestamp]).toEqual(['', '2026-11-22T04:29:43Z']);
  });

  it.each([
    [{}, 86_400],
    [{ ttl: 60 }, 60],
    [{ ttl: '2027-01-01T00:00:00.5Z' }, '2027-01-01T00:00:00Z'],
  ])('with %j has the time to live %j', (members, ttl) => {
    expect(valuesIn([value(members)])[0]!.ttl).toBe(ttl);
  });

  it.each([['a\ud800'], [{ format: 'string', value: '\udc00' }], [{ format: 'base64', value: '\ud800' }]])(
    'has no half of a surrogate pair in the data %j',
    (data) => {
      expect(faultOf([value({ data })])).toEqual([4, expect.stringContaining('must be a well-formed text')]);
    },
  );

  it.each([[{ ttl: -1 }], [{ ttl: 'soon' }], [{ permissions: '111' }], [{ type: 'a\0b' }], [{ type: '\ud800' }]])(
    'is rejected with %j',
    (members) => {
      expect(faultOf([value(members)])[0]).toBe(4);
    },
  );
});

describe('the data of a value', () => {
  it.each([
    ['a text', 'é <&>\u2028', { format: 'string', value: 'é <&>\u2028' }],
    ['a number', 5, { format: 'string', value: '5' }],
    ['a truth value', false, { format: 'string', value: 'false' }],
    ['a string', { format: 'string', value: 'v' }, { format: 'string', value: 'v' }],
    ['base64 of bytes', { format: 'base64', value: 'AAH/' }, { format: 'base64', value: 'AAH/' }],
    ['base64 of a text', { format: 'base64', value: 'aGk=' }, { format: 'string', value: 'hi' }],
    ['hex', { format: 'hex', value: '00ff' }, { format: 'base64', value: 'AP8=' }],
    ['hex of a text with line breaks', { format: 'hex', value: '610d0a09' }, { format: 'string', value: 'a\r\n\t' }],
    ['a text with U+0000', 'a\0', { format: 'base64', value: 'YQA=' }],
    [
      'an administrator',
      { format: 'admin', value: { handle: '0.NA/1', index: '200', permissions: '011111110011' } },
      { format: 'admin', value: { handle: '0.NA/1', index: 200, permissions: '011111110011' } },
    ],
    [
      'references',
      { format: 'vlist', value: [{ handle: '1/2', index: 3 }] },
      { format: 'vlist', value: [{ handle: '1/2', index: 3 }] },
    ],
    ['a key', { format: 'key', value: { kty: 'RSA' } }, { format: 'key', value: { kty: 'RSA' } }],
  ])('is %s', (_, sent, data) => {
    expect(dataOf(sent)).toEqual(data);
  });

  it.each([
    [[]],
    [{}],
    [{ format: 'nope', value: 'x' }],
    [{ format: 'toString', value: 'x' }],
    [{ format: 'string' }],
    [{ format: 'base64', value: '*' }],
    [{ format: 'hex', value: 'abc' }],
    [{ format: 'admin', value: { handle: '1/2', index: 1, permissions: '2' } }],
    [{ format: 'vlist', value: {} }],
    [{ format: 'site', value: ['a'] }],
    [{ format: 'site', value: { a: '\0' } }],
    [{ format: 'site', value: JSON.parse('['.repeat(40) + ']'.repeat(40)) }],
  ])('is rejected with code 4: %j', (data) => {
    expect(faultOf([value({ data })])[0]).toBe(4);
  });
});

describe('exported values', () => {
  it('are read as they were written, with their times', () => {
    const values = valuesIn([
      value({ permissions: '1100', ttl: 5 }),
      value({ index: 3, data: { format: 'hex', value: '00' } }),
    ]);
    const older = values.map((each) => ({ ...each, timestamp: '2020-01-01T00:00:00Z' }));
    expect(parseExportedValues(JSON.parse(JSON.stringify(older)))).toEqual(older);
  });
});
