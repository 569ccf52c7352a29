import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { CATALOGUE, type ServiceCode } from '../../problem/catalogue.js';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { DATA_HEADERS } from './security-headers.js';

const BROKEN_REQUEST = 'malformed request';

const BROKEN_HTTP: Readonly<Record<string, ServiceCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** The current or last response of each connection. */
const responses = new WeakMap<Duplex, ServerResponse>();

/** Connections whose rejection waits for the previous response; further bytes must not cause another rejection. */
const rejected = new WeakSet<Duplex>();

/** How long a connection is read after its last response. */
const LINGER_MS = 2000;

/** Responds to requests that never reach the framework. */
export function watchClientErrors(instance: FastifyInstance): void {
  const { server, log } = instance;
  server.on('connection', (socket: Socket) => {
    // Node removes its own listener on CONNECT. Without a listener, a reset of the connection would end the process.
    socket.on('error', () => {});
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    responses.set(request.socket, response);
    response.on('finish', closeInStages);
    // After a request for an upgrade, Node 20 reports no further parse errors of the connection.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  });
  // This is the response stall timeout. Node counts sent bytes as activity, so a slow reader is not affected. Other limits apply to silence
  // before a request is complete, and silence during a long poll or a waiting stream is not an error of the client.
  server.on('timeout', (socket: Socket) => {
    const last = responses.get(socket);
    const isWaiting = last === undefined || (!last.writableEnded && socket.writableLength === 0);
    if (!isWaiting) socket.destroy();
  });
  // A server may ignore an unknown expectation (RFC 9110 10.1.1). Node would respond with 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // On CONNECT (RFC 9110 9.3.6), Node would close the connection without a response.
  server.on('connect', (_request, socket: Socket) => {
    log.info(
      { status: 404, code: 'NOT_FOUND', reason: 'CONNECT', address: instance.loggedAddress?.(socket.remoteAddress) },
      BROKEN_REQUEST,
    );
    endWith(new Problem('NOT_FOUND', 'This service is not a proxy; it does not support CONNECT.'), socket);
  });
}

/** Writes the response and the log line directly, because there is no request object. */
export function respondToClientError(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  // The last response is being sent. Further input is dropped.
  if ((socket.writableEnded || rejected.has(socket)) && error.code !== 'ECONNRESET') return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // Bytes after a request that closes the connection are not a request (RFC 9112 9.6).
  if (error.code === 'HPE_CLOSED_CONNECTION') {
    if (responses.get(socket)?.writableFinished !== false) end(socket);
    return;
  }
  const code = BROKEN_HTTP[error.code ?? ''] ?? 'MALFORMED_HTTP';
  const problem = new Problem(code, `The request could not be parsed: ${error.message}.`);
  // The bytes are not logged, because they could contain a key.
  const { status } = CATALOGUE[code];
  this.log.info(
    { status, code, reason: error.code, address: this.loggedAddress?.(socket.remoteAddress) },
    BROKEN_REQUEST,
  );
  const last = responses.get(socket);
  // `rawPacket` has only the last bytes that were read. If a long head arrived in several parts, the method is unknown.
  const { rawPacket } = error as { rawPacket?: Buffer };
  const isHead = rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  // A response was sent before the body was complete. The client would take a second response for the response to its next request.
  if (last?.headersSent === true && !last.req.complete) end(socket);
  // The previous request is complete, and its response comes first.
  else if (last?.req.complete === true && !last.writableFinished) {
    rejected.add(socket);
    last.once('finish', () => {
      if (socket.writable) endWith(problem, socket, isHead);
    });
  } else endWith(problem, socket, isHead);
}

function endWith(problem: Problem, socket: Socket, isHead = false): void {
  const { status, title } = CATALOGUE[problem.code];
  const body = `${JSON.stringify(problemDocument(problem, '/'))}\n`;
  const headers = {
    ...DATA_HEADERS,
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  end(socket, [`HTTP/1.1 ${status} ${title}`, ...lines, '', isHead ? '' : body].join('\r\n'));
}

/** Ends a connection in stages: drops further input, because closing with unread bytes would discard the response (RFC 9112 9.6). */
function end(socket: Socket, last = ''): void {
  socket.end(last);
  linger(socket);
}

/** Drops further input of a connection until the client closes it, or for `LINGER_MS` after the last response. */
function linger(socket: Socket): void {
  socket.once('finish', () => {
    const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => {
      clearTimeout(limit);
    });
  });
  socket.resume();
}

/** Drops the rest of a body whose response was sent before it arrived, and closes the connection in stages if the response is its last. */
function closeInStages(this: ServerResponse): void {
  const { req } = this;
  if (!req.complete) req.resume();
  const { socket } = req;
  if (!socket.writableEnded) return;
  // Node.js has ended the connection, and would close it in this event even if bytes are unread (`destroySoon`).
  socket.off('finish', Reflect.get(socket, 'destroy') as () => void);
  linger(socket);
}
