import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CATALOGUE, type ServiceCode } from '../problem/catalogue.js';
import { problemDocument } from '../problem/problem-document.dto.js';
import { Problem } from '../problem/problem.js';
import { SECURITY_HEADERS } from './security-headers.js';

const BROKEN_HTTP: Readonly<Record<string, ServiceCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/**
 * How long a connection that got its last answer is still read. One that is closed while the client sends is reset, and
 * a reset takes the answer from a client that has not read it yet (RFC 9112 9.6).
 */
const LINGER_MS = 2000;

/** The answer that a connection is at, or had last. */
const answers = new WeakMap<Duplex, ServerResponse>();

/** Answers what never becomes a request: what `answerBrokenHttp` is not told of by the framework. */
export function watchBrokenHttp(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    answers.set(request.socket, response);
    // After a request for an upgrade, Node 20 reports no broken request of the connection any more.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  });
  // Silence for as long as a client may leave its answer lying. Node takes octets that leave for activity, so an answer
  // that is read slowly goes on. Silence before a request is whole has limits of its own, and while one is worked on
  // (a long poll, a stream that waits for news) it is no fault of the client.
  server.on('timeout', (socket: Socket) => {
    const last = answers.get(socket);
    const isWaiting = last === undefined || (!last.writableEnded && socket.writableLength === 0);
    if (!isWaiting) socket.destroy();
  });
  // An expectation that is not known may be ignored (RFC 9110 10.1.1); Node would refuse it by an answer without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // A tunnel (RFC 9110 9.3.6): Node would close the connection without a word.
  server.on('connect', (_request, socket) => {
    endWith(new Problem('NOT_FOUND', 'This service is no proxy and opens no tunnels.'), socket);
  });
}

/** What cannot be parsed never becomes a request, so the answer is written to the socket by hand. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  // Its last answer is on the way, and what still comes is dropped.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = BROKEN_HTTP[error.code ?? ''] ?? 'MALFORMED_HTTP';
  const problem = new Problem(code, `The request was given up: ${error.message}.`);
  const last = answers.get(socket);
  // The request is broken in its body and was answered without it: a second answer would be taken for another's.
  if (last?.headersSent === true && !last.req.complete) end(socket, '');
  // The request before this one is whole, and its answer comes first.
  else if (last?.req.complete === true && !last.writableFinished) {
    last.once('finish', () => {
      if (socket.writable) endWith(problem, socket);
    });
  } else endWith(problem, socket);
}

function endWith(problem: Problem, socket: Duplex): void {
  const { status, title } = CATALOGUE[problem.code];
  const body = JSON.stringify(problemDocument(problem, '/'));
  const headers = {
    ...SECURITY_HEADERS,
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  end(socket, [`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'));
}

function end(socket: Duplex, last: string): void {
  socket.end(last);
  const limit = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.resume().once('close', () => {
    clearTimeout(limit);
  });
}
