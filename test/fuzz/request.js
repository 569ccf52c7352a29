/**
 * A request on the wire: `{ operation, candidates, unserved, kind, what, method, path, query, version, headers, body,
 * bytes }`. `path` and the values of `query` are escaped; `bytes` replace all other members of a request without a
 * regular structure.
 */

const HEX = (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Escapes a text for a path segment or a query value; a lone surrogate becomes bytes that are not UTF-8. */
export function escapeText(text) {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0);
    if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
    return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)].map(HEX).join('');
  }).join('');
}

/** Replaces the headers of a name; `undefined` removes them. */
export function withHeader(request, name, value) {
  request.headers = request.headers.filter(([other]) => other.toLowerCase() !== name);
  if (value !== undefined) request.headers.push([name, value]);
}

/** The request target: path and query, or the requested absolute form. */
export function targetOf({ target, path, query }) {
  if (target !== undefined) return target;
  return query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** Methods that have a body; without one their requests have the length 0 (RFC 9110 8.6), or Node would send them in chunks. */
const WITH_BODY = ['POST', 'PUT', 'PATCH'];

/** The headers as sent: with the host, and the length of the body if no header defines it. */
export function headersOf(request) {
  const { headers, method } = request;
  const body = request.body ?? (WITH_BODY.includes(method) ? '' : undefined);
  const named = new Set(headers.map(([name]) => name.toLowerCase()));
  const added = [];
  if (!named.has('host') && request.hostless !== true) added.push(['host', '127.0.0.1']);
  if (body !== undefined && !named.has('content-length') && !named.has('transfer-encoding')) {
    added.push(['content-length', String(body.length)]);
  }
  return [...added, ...headers].filter(([, value]) => value !== undefined);
}

/** The bytes of a request with `Connection: close`, so that the end of the response is known. */
export function bytesOf(request) {
  if (request.bytes !== undefined) return request.bytes;
  const lines = [
    `${request.method} ${targetOf(request)} ${request.version ?? 'HTTP/1.1'}`,
    ...headersOf(request).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return request.body === undefined ? head : Buffer.concat([head, request.body]);
}
