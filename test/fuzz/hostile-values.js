import { RawJson, writeJson } from './json.js';

/** Texts that cause errors in parsers. */
export const TEXTS = [
  '',
  ' ',
  '\u0000',
  '100.102/\u0000',
  'a\u0000b',
  '\ud800',
  '100.102/\udc00x',
  '\udfff\ud800',
  '\ufeff',
  '\uffff',
  '\u2028\u2029',
  '\u202e',
  'e\u0301'.repeat(500),
  '😀'.repeat(3000),
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e309',
  '9007199254740993',
  '-1',
  '18446744073709551616',
  '0x10',
  '1\r\nx-injected: 1',
  '%00',
  '%ff',
  '%2e%2e%2f',
  '../../etc/passwd',
  '%',
  '%zz',
  '%25'.repeat(2000),
  "'; DROP TABLE identifier; --",
  '{"$gt":""}',
  '${jndi:ldap://127.0.0.1/a}',
  '<script>alert(1)</script>',
  '*',
  '\\',
  '"',
  '/'.repeat(4000),
  'hdl:'.repeat(3000),
  '('.repeat(5000),
  `${'a'.repeat(30)}!`,
  'x'.repeat(70_000),
  '2026-02-30T00:00:00Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '+275760-09-13T00:00:00.001Z',
  '-000001-01-01T00:00:00Z',
  '2026-11-20',
  'https://[::1',
  'javascript:alert(1)',
  'http://user:pass@host/',
];

/** Numbers of JSON, with values that a double cannot represent. */
const NUMBERS = [
  '9007199254740993',
  '1e309',
  '-1e309',
  '-0',
  '-1',
  '0',
  '1.5',
  '1e-400',
  '5e-324',
  '0.1e1',
  '2147483648',
];

const raw = (text) => new RawJson(text);

/** Values of a wrong type or size; functions, because some are large. */
export const VALUES = [
  ...TEXTS.map((text) => ({ name: `the text ${JSON.stringify(text).slice(0, 30)}`, make: () => text })),
  ...NUMBERS.map((digits) => ({ name: `the number ${digits}`, weight: 3, make: () => raw(digits) })),
  ...[null, true, false, [], {}, [[]], [null], ''].map((value) => ({
    name: `the value ${JSON.stringify(value)}`,
    weight: 3,
    make: () => value,
  })),
  { name: 'an escaped NUL', make: () => raw('"\\u0000"') },
  { name: 'an escaped lone surrogate', make: () => raw('"\\ud83d"') },
  { name: 'a member __proto__', weight: 3, make: () => raw('{"__proto__":{"admin":true}}') },
  { name: 'a member constructor', weight: 3, make: () => raw('{"constructor":{"prototype":{"x":1}}}') },
  { name: 'an escaped __proto__', make: () => raw('{"\\u005f_proto__":1}') },
  { name: 'a member toString', make: () => raw('{"toString":1}') },
  { name: 'a key of 60,000 characters', weight: 0.3, make: () => raw(`{"${'k'.repeat(60_000)}":1}`) },
  { name: '10,000 lists in one another', weight: 0.5, make: () => raw('['.repeat(10_000) + ']'.repeat(10_000)) },
  {
    name: '10,000 objects in one another',
    weight: 0.5,
    make: () => raw('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)),
  },
  { name: '30 lists in one another', make: () => raw('['.repeat(30) + ']'.repeat(30)) },
  { name: '100,000 numbers', weight: 0.2, make: () => raw(`[${'1,'.repeat(99_999)}1]`) },
  { name: '100,000 texts', weight: 0.2, make: () => raw(`[${'"a",'.repeat(99_999)}"a"]`) },
  { name: '100,000 objects', weight: 0.1, make: () => raw(`[${'{},'.repeat(99_999)}{}]`) },
  {
    name: '60 names of 4,000 bytes',
    make: () => Array.from({ length: 60 }, (_, i) => `hdl:10.1234/${i}${'a'.repeat(3980)}`),
  },
  {
    name: '20,000 members',
    weight: 0.2,
    make: () => raw(`{${Array.from({ length: 20_000 }, (_, i) => `"m${i}":1`).join(',')}}`),
  },
];

/** Changes of a JSON object, given as a value. */
export const OBJECT_CHANGES = [
  { name: 'a member that is not known', change: (value) => ({ ...value, colour: 'red' }) },
  { name: 'a member toString beside the others', change: (value) => addMember(value, '"toString":1') },
  { name: 'a member __proto__ beside the others', change: (value) => addMember(value, '"__proto__":{"x":1}') },
  { name: 'a key twice, alike', change: (value) => twice(value, (member) => member) },
  { name: 'a key twice, with two values', change: (value) => twice(value, () => '7') },
  { name: 'an empty key', change: (value) => addMember(value, '"":1') },
  { name: 'a key with NUL', change: (value) => addMember(value, '"a\\u0000":1') },
  { name: 'a key that is a lone surrogate', change: (value) => addMember(value, '"\\ud800":1') },
];

function addMember(value, member) {
  const text = writeJson(value);
  return raw(text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`);
}

function twice(value, second) {
  const [entry] = Object.entries(value);
  if (entry === undefined) return raw('{"a":1,"a":2}');
  const [key, member] = entry;
  return addMember(value, `${JSON.stringify(key)}:${second(writeJson(member))}`);
}
