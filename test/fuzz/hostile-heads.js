import { TEXTS } from './hostile-values.js';
import { escapeText, withHeader } from './request.js';

const elsewhere = (change) => (request, random) => {
  request.path = change(request.path, random);
  request.unserved = true;
  request.elsewhere = true;
};

const set = (name, value) => (request) => {
  withHeader(request, name, value);
};

function absoluteForm(request) {
  // Requests that already have it are not changed.
  if (request.path.startsWith('/')) request.path = `http://127.0.0.1${request.path}`;
}

/** Faults of the request target. */
export const TARGETS = [
  { name: '%2e%2e in the path', apply: elsewhere((path) => `${path}/%2e%2e/%2e%2e`) },
  { name: '.. in the path', apply: elsewhere((path) => `/../..${path}`) },
  { name: '// in the path', apply: elsewhere((path) => path.replace('/', '//')) },
  { name: 'a slash behind', apply: elsewhere((path) => `${path}/`) },
  { name: ';params', apply: elsewhere((path) => `${path};a=b;jsessionid=1`) },
  { name: '%00 behind', apply: elsewhere((path) => `${path}%00`) },
  { name: 'a broken escape', apply: elsewhere((path) => `${path}%z`) },
  { name: 'a broken escape in front', apply: elsewhere((path) => `/%zz${path}`) },
  { name: 'no path', apply: elsewhere(() => '?limit=1000') },
  { name: 'a backslash', apply: elsewhere((path) => path.replaceAll('/', '\\')) },
  { name: 'capitals', apply: elsewhere((path) => path.toUpperCase()) },
  {
    name: 'an escaped letter',
    apply: elsewhere((path) => path.replace(/[a-z]/, (a) => `%${a.charCodeAt(0).toString(16)}`)),
  },
  { name: 'raw bytes beyond ASCII', apply: elsewhere((path) => `${path}\xe9\xff`) },
  { name: 'a fragment', apply: elsewhere((path) => `${path}#here`) },
  { name: 'a space', apply: elsewhere((path) => `${path} x`) },
  { name: '40,000 characters', weight: 0.5, apply: elsewhere((path) => `${path}${'a'.repeat(40_000)}`) },
  { name: 'a URL of 1 MiB', weight: 0.2, apply: elsewhere((path) => `${path}${'a'.repeat(1024 * 1024)}`) },
  { name: 'the absolute form', apply: absoluteForm },
  { name: 'the absolute form of another host', apply: elsewhere((path) => `https://evil.example:1${path}`) },
  { name: 'the absolute form of another scheme', apply: elsewhere((path) => `ftp://evil.example${path}`) },
  { name: 'an asterisk', apply: elsewhere(() => '*') },
  { name: 'an authority', apply: elsewhere(() => '127.0.0.1:80') },
];

const METHODS = [
  'HEAD',
  'OPTIONS',
  'TRACE',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'PROPFIND',
  'QUERY',
  'CONNECT',
  'get',
  'FOO',
  'M-SEARCH',
  'PRI',
];

/** Methods that the operation does not have. */
export const OTHER_METHODS = METHODS.map((method) => ({
  name: `the method ${method}`,
  apply: (request) => {
    request.method = method;
    request.unserved = true;
  },
}));

const TAGS = ['*', '""', '"', 'W/', '"a", W/"b"', ',,,', '"\u00e9"', '"x"'.repeat(3000), `"${'x'.repeat(9000)}"`, ''];
const KEYS = ['', ' ', 'two words', 'k'.repeat(256), 'k'.repeat(60_000), '\u00e9', '__proto__', '"quoted"', '0'];
const AUTHORIZATIONS = [
  '',
  'Bearer',
  'Bearer ',
  `Bearer ${'x'.repeat(9000)}`,
  'Basic YTpi',
  'Bearer a b',
  `Bearer mm_live_${'A'.repeat(43)}00000000`,
  'bearer \u00e9',
  'Negotiate',
];

/** Headers with hostile values. */
export const HEADERS = [
  ...TAGS.flatMap((tag) =>
    ['if-match', 'if-none-match'].map((name) => ({ name: `${name}: ${tag.slice(0, 20)}`, apply: set(name, tag) })),
  ),
  ...KEYS.map((key) => ({ name: `idempotency-key: ${key.slice(0, 20)}`, apply: set('idempotency-key', key) })),
  ...AUTHORIZATIONS.map((value) => ({
    name: `authorization: ${value.slice(0, 20)}`,
    apply: set('authorization', value),
  })),
  {
    name: 'two Idempotency-Keys',
    apply: (request) => request.headers.push(['idempotency-key', 'a'], ['idempotency-key', 'b']),
  },
  { name: 'two If-Match', apply: (request) => request.headers.push(['if-match', '"a"'], ['if-match', '"b"']) },
  ...[
    '',
    'text/plain',
    'image/*;q=0',
    '*/*;q=nonsense',
    ',',
    'application/x-ndjson',
    'text/event-stream',
    'text/csv',
    'text/html',
    'application/linkset+json',
  ].map((type) => ({ name: `accept: ${type}`, apply: set('accept', type) })),
  { name: 'a request id with a line of a log in it', apply: set('x-request-id', '"}\t{"level":50') },
  { name: 'an empty request id', apply: set('x-request-id', '') },
  { name: 'an expectation', apply: set('expect', 'tea') },
  { name: 'an upgrade', apply: (request) => request.headers.push(['connection', 'upgrade'], ['upgrade', 'websocket']) },
  { name: 'a range', apply: set('range', 'bytes=5-1,-0') },
  { name: 'a date that is none', apply: set('if-modified-since', 'yesterday') },
  { name: 'another method inside', apply: set('x-http-method-override', 'DELETE') },
  {
    name: 'forwarded',
    apply: (request) => request.headers.push(['forwarded', 'for="_a";host=evil'], ['x-forwarded-host', 'evil']),
  },
  ...['198.51.100.7:2001', '[2001:db8::1]:443', '[', ',,:,'].map((value) => ({
    name: `x-forwarded-for: ${value}`,
    apply: set('x-forwarded-for', value),
  })),
  { name: 'the host of another', apply: set('host', 'evil.example:99999') },
  ...['localhost:1', '[::1', '127.0.0.1.evil.example', 'LOCALHOST', 'localhost,evil.example', '%6cocalhost'].map(
    (host) => ({
      name: `host: ${host}`,
      apply: set('host', host),
    }),
  ),
  ...['null', 'http://evil.example', 'http://localhost:1', 'http://127.0.0.1.evil.example', 'x'.repeat(9000), ''].map(
    (origin) => ({ name: `origin: ${origin.slice(0, 20)}`, apply: set('origin', origin) }),
  ),
  ...['cross-site', 'same-site', 'none', 'x'].map((site) => ({
    name: `sec-fetch-site: ${site}`,
    apply: set('sec-fetch-site', site),
  })),
  ...[
    'return=minimal',
    'return=minimal, return=representation',
    'return="minimal"',
    'return',
    '=',
    ';;,,',
    'a'.repeat(9000),
  ].map((prefer) => ({ name: `prefer: ${prefer.slice(0, 20)}`, apply: set('prefer', prefer) })),
  ...['A', 'A'.repeat(512), 'A'.repeat(9000), '\u00e9', '0', '==='].map((cursor) => ({
    name: `last-event-id: ${cursor.slice(0, 20)}`,
    apply: set('last-event-id', cursor),
  })),
  { name: 'a header __proto__', apply: set('__proto__', '1') },
  { name: 'a header constructor', apply: set('constructor', '1') },
  { name: 'a cookie of 20,000 characters', weight: 0.5, apply: set('cookie', `a=${'b'.repeat(20_000)}`) },
  { name: 'a header of 64 KiB', weight: 0.5, apply: set('x-long', 'a'.repeat(65_536)) },
  {
    name: '1500 headers',
    weight: 0.5,
    apply: (request) => request.headers.push(...Array.from({ length: 1500 }, (_, i) => [`x-${i}`, '1'])),
  },
];

/** Hostile values of parameters, in the notation of a query or a path. */
export const ESCAPED_TEXTS = [
  ...TEXTS.map(escapeText),
  '%',
  '%f',
  '%c3%28',
  '%ed%a0%80',
  '%00',
  '+',
  '%2B',
  '&',
  '=',
  '%2f',
  '..',
  '.',
  '%2e%2e',
];
