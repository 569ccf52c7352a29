import type { Socket } from 'node:net';
import { CATALOGUE, type ServiceCode } from '../problem/catalogue.js';
import { problemDocument } from '../problem/problem-document.dto.js';
import { Problem } from '../problem/problem.js';
import { SECURITY_HEADERS } from './security-headers.js';

const BROKEN_HTTP: Readonly<Record<string, ServiceCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** What cannot be parsed never becomes a request, so the answer is written to the socket by hand. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = BROKEN_HTTP[error.code ?? ''] ?? 'MALFORMED_HTTP';
  const body = JSON.stringify(problemDocument(new Problem(code, `The request was given up: ${error.message}.`), '/'));
  const headers = {
    ...SECURITY_HEADERS,
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  socket.end(
    [
      `HTTP/1.1 ${CATALOGUE[code].status} ${CATALOGUE[code].title}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  );
}
