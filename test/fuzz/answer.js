/**
 * Parses the bytes of a raw socket up to its end.
 * @returns the response, with whether it ended; undefined for none; a failure for malformed HTTP, or for two responses to one request, as in
 * request smuggling (RFC 9112 11.2).
 */
export function parseAnswers(bytes, method) {
  let rest = bytes;
  for (;;) {
    if (rest.length === 0) return undefined;
    const end = rest.indexOf('\r\n\r\n');
    const [first, ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([0-9]{3})( |$)/.exec(first)?.[1]);
    if (end < 0 || Number.isNaN(status)) return { failure: `the answer is not HTTP: ${first.slice(0, 60)}` };
    rest = rest.subarray(end + 4);
    // Interim responses precede the final one.
    if (status < 200) continue;
    const headers = Object.fromEntries(lines.map(readHeader));
    const { body, after, isWhole } = split(rest, { method, status, headers });
    // The method of a malformed head is unknown.
    const unread = method === 'HEAD' && /"(MALFORMED_HTTP|HEADERS_TOO_LARGE)"\}$/.test(after.toString());
    if (after.length > 0 && !unread)
      return { failure: `more than one answer: ${after.toString('latin1').slice(0, 60)}` };
    return { status, headers, body, isWhole, open: /^text\/event-stream/.test(headers['content-type'] ?? '') };
  }
}

function readHeader(line) {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Separates the body of a response from the following bytes (RFC 9112 6.3). */
function split(bytes, { method, status, headers }) {
  if (method === 'HEAD' || status === 204 || status === 304) {
    return { body: Buffer.alloc(0), after: bytes, isWhole: true };
  }
  if (headers['transfer-encoding'] !== undefined) return { ...dechunk(bytes), after: Buffer.alloc(0) };
  const length = Number(headers['content-length'] ?? bytes.length);
  return { body: bytes.subarray(0, length), after: bytes.subarray(length), isWhole: bytes.length >= length };
}

function dechunk(bytes) {
  const chunks = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    const size = end < 0 ? NaN : Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (!(size > 0)) return { body: Buffer.concat(chunks), isWhole: size === 0 };
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}
