import { bytesOf } from './request.js';

/** Writes the head directly; the operation that a server selects for it is unknown. */
const bytes = (change) => (request) => {
  const text = bytesOf(request).toString('latin1');
  const changed = change(text);
  request.bytes = Buffer.from(changed, 'latin1');
  // A server parses the method of the bytes; those of TLS have none.
  request.method = /^[\r\n]*(\S+) /.exec(changed)?.[1] ?? '';
  request.unserved = true;
};

const addLine = (line) => bytes((text) => text.replace('\r\n', `\r\n${line}\r\n`));

/** HTTP that client libraries do not send. */
export const HTTP = [
  { name: 'chunked and content-length', apply: addLine('transfer-encoding: chunked\r\ncontent-length: 4') },
  { name: 'gzip, chunked', apply: bytes((text) => `${head(text)}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`) },
  { name: 'chunked in an unknown coding', apply: bytes((text) => `${head(text)}transfer-encoding: x\r\n\r\n`) },
  {
    name: 'a chunk size that is none',
    apply: bytes((text) => `${head(text)}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
  },
  {
    name: 'a chunk size past 2^64',
    apply: bytes((text) => `${head(text)}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n`),
  },
  {
    name: 'chunks of one byte',
    apply: bytes(
      (text) => `${head(text)}transfer-encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nx-trailer: 1\r\n\r\n`,
    ),
  },
  ...['-1', '+5', '1e3', '0x10', '5, 5', '99999999999999999999', '', 'a'].map((length) => ({
    name: `content-length: ${length}`,
    apply: bytes((text) => `${head(text)}content-length: ${length}\r\n\r\n{}`),
  })),
  { name: 'two lengths', apply: bytes((text) => `${head(text)}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `) },
  { name: 'no host', apply: bytes((text) => text.replace(/\r\nhost: [^\r]*/, '')) },
  { name: 'two hosts', apply: addLine('host: b') },
  { name: 'a header with CR', apply: addLine('x-a: b\rc') },
  { name: 'a header with NUL', apply: addLine('x-a: b\0c') },
  { name: 'a line end inside a value', apply: addLine('x-a: b\r\nx-injected: 1') },
  { name: 'a folded header', apply: addLine('x-a: b\r\n c') },
  { name: 'a header without a colon', apply: addLine('nonsense') },
  { name: 'a header without a name', apply: addLine(': b') },
  { name: 'a space before the colon', apply: addLine('x-a : b') },
  { name: 'line ends of LF', apply: bytes((text) => text.replaceAll('\r\n', '\n')) },
  { name: 'empty lines before', apply: bytes((text) => `\r\n\r\n${text}`) },
  { name: 'HTTP/1.0', apply: bytes((text) => text.replace(' HTTP/1.1', ' HTTP/1.0')) },
  { name: 'HTTP/2.0', apply: bytes((text) => text.replace(' HTTP/1.1', ' HTTP/2.0')) },
  { name: 'HTTP/9.9', apply: bytes((text) => text.replace(' HTTP/1.1', ' HTTP/9.9')) },
  { name: 'no version', apply: bytes((text) => text.replace(' HTTP/1.1', '')) },
  { name: 'forty of it at once', weight: 0.5, apply: bytes((text) => text.repeat(40)) },
  { name: 'TLS', weight: 0.5, apply: bytes(() => '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03') },
];

/** The head of a request without headers about the body; another header may follow. */
function head(text) {
  return `${text.slice(0, text.indexOf('\r\n\r\n') + 2).replaceAll(/(content-length|transfer-encoding): [^\r]*\r\n/gi, '')}`;
}
