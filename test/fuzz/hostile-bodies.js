import { deflateRawSync, gzipSync } from 'node:zlib';
import { placesIn, replaceAt, writeJson } from './json.js';
import { OBJECT_CHANGES, VALUES } from './hostile-values.js';
import { withHeader } from './request.js';

let bomb;

/** Sixteen million zeros in sixteen thousand bytes. */
const gzipBomb = () => (bomb ??= gzipSync(Buffer.alloc(16 * 1024 * 1024)));

const bytes = (change) => (request) => {
  request.body = change(request.body ?? Buffer.from('{}'));
};

const header =
  (name, value, change = (body) => body) =>
  (request) => {
    withHeader(request, name, value);
    bytes(change)(request);
  };

/** Faults of the bytes of a body, and of the headers about it. */
export const BODIES = [
  { name: 'no body', apply: bytes(() => Buffer.alloc(0)) },
  { name: 'half a body', apply: bytes((body) => body.subarray(0, body.length >> 1)) },
  { name: 'a BOM', apply: bytes((body) => Buffer.concat([Buffer.from('\ufeff'), body])) },
  { name: 'UTF-16', apply: bytes((body) => Buffer.from(`\ufeff${body.toString()}`, 'utf16le')) },
  {
    name: 'a byte that is not UTF-8',
    apply: bytes((body) => Buffer.concat([body.subarray(0, 3), Buffer.from([0xff]), body.subarray(3)])),
  },
  { name: 'an encoded surrogate', apply: bytes(() => Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])) },
  { name: 'a raw NUL', apply: bytes(() => Buffer.from('{"a":"\u0000"}')) },
  { name: 'two values', apply: bytes((body) => Buffer.concat([body, body])) },
  { name: 'a line end behind', apply: bytes((body) => Buffer.concat([body, Buffer.from('\r\n')])) },
  { name: 'a comment', apply: bytes((body) => Buffer.concat([Buffer.from('/**/'), body])) },
  { name: 'spaces only', apply: bytes(() => Buffer.from(' '.repeat(5000))) },
  { name: 'NaN', apply: bytes(() => Buffer.from('NaN')) },
  {
    name: 'random bytes',
    apply: (request, random) => (request.body = Buffer.from(Array.from({ length: 200 }, () => random.int(0, 255)))),
  },
  { name: '10,000 open brackets', weight: 0.5, apply: bytes(() => Buffer.from('['.repeat(10_000))) },
  { name: '100,000 open objects', weight: 0.3, apply: bytes(() => Buffer.from('{"a":'.repeat(100_000))) },
  { name: '60,000 zeros in a list', weight: 0.5, apply: bytes(() => Buffer.from(`[${'0,'.repeat(60_000)}0]`)) },
  {
    name: '20,000 members',
    weight: 0.5,
    apply: bytes(() =>
      Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a${i}`, i])))),
    ),
  },
  { name: '30,000 equal keys', weight: 0.5, apply: bytes(() => Buffer.from(`{${'"a":1,'.repeat(30_000)}"a":1}`)) },
  { name: '100,000 digits', weight: 0.5, apply: bytes(() => Buffer.from(`[${'9'.repeat(100_000)}]`)) },
  { name: 'a body of 4 MiB', weight: 0.1, apply: bytes(() => Buffer.from(`"${'x'.repeat(4 * 1024 * 1024)}"`)) },
  { name: 'the charset utf-16', apply: header('content-type', 'application/json; charset=utf-16') },
  { name: 'the charset latin1', apply: header('content-type', 'application/json; charset="iso-8859-1"') },
  { name: 'the charset UTF8', apply: header('content-type', 'application/JSON;charset=UTF8') },
  { name: 'a form', apply: header('content-type', 'application/x-www-form-urlencoded', () => Buffer.from('a=1')) },
  { name: 'a multipart form without boundary', apply: header('content-type', 'multipart/form-data') },
  { name: 'plain text', apply: header('content-type', 'text/plain') },
  {
    name: 'XML',
    apply: header('content-type', 'application/xml', () => Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')),
  },
  { name: 'NDJSON', apply: header('content-type', 'application/x-ndjson') },
  { name: 'a media type that is none', apply: header('content-type', '/;;=,') },
  {
    name: 'a media type with a huge parameter',
    apply: header('content-type', `application/json; a=${'b'.repeat(9000)}`),
  },
  { name: 'no content type', apply: header('content-type', undefined) },
  { name: 'an empty content type', apply: header('content-type', '') },
  { name: 'gzip, honestly', apply: header('content-encoding', 'gzip', (body) => gzipSync(body)) },
  { name: 'a gzip bomb', weight: 0.5, apply: header('content-encoding', 'gzip', gzipBomb) },
  { name: 'gzip that is none', apply: header('content-encoding', 'gzip') },
  { name: 'deflate', apply: header('content-encoding', 'deflate', (body) => deflateRawSync(body)) },
  { name: 'an unknown encoding', apply: header('content-encoding', 'x-rot13') },
  { name: 'identity', apply: header('content-encoding', 'identity') },
];

/**
 * Changes a JSON value in one place.
 * @returns `{ name, value }`
 */
export function changeSomewhere(random, value) {
  const objects = placesIn(value).filter((path) => isObject(at(value, path)));
  if (objects.length > 0 && random.chance(0.25)) {
    const { name, change } = random.pick(OBJECT_CHANGES);
    return { name, value: replaceAt(value, random.pick(objects), change) };
  }
  const paths = placesIn(value);
  const inner = paths.filter(({ length }) => length > 0);
  const path = random.pick(inner.length > 0 && random.chance(0.9) ? inner : paths);
  if (path.length > 0 && random.chance(0.15)) {
    const copy = replaceAt(value, path.slice(0, -1), (parent) => without(parent, path.at(-1)));
    return { name: `nothing at /${path.join('/')}`, value: copy };
  }
  const hostile = random.weighted(VALUES);
  return { name: `${hostile.name} at /${path.join('/')}`, value: replaceAt(value, path, () => hostile.make()) };
}

/** Sets a JSON value as the body of a request. */
export function setJson(request, value) {
  request.body = Buffer.from(writeJson(value));
}

function at(value, path) {
  return path.reduce((inside, key) => inside[key], value);
}

function isObject(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}

function without(parent, key) {
  if (Array.isArray(parent)) return parent.filter((_, index) => String(index) !== key);
  return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key));
}
