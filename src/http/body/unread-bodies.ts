import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Octets of a body that are dropped after its response: twice the default of the largest body. */
const MAX_DROPPED_OCTETS = 33_554_432;

const CHECK_INTERVAL_MS = 250;

/** A connection is read for this time after its end was sent (RFC 9112 9.6). */
const LINGER_MS = 2000;

/**
 * Drops the rest of an unread body before the connection is closed: closing it while the client sends would reset it,
 * and a reset can discard the response (RFC 9112 9.6).
 */
export function dropUnreadBodies(server: Server, limitMs: number): void {
  const current = new WeakMap<Socket, IncomingMessage>();
  server.on('connection', (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      const request = current.get(socket);
      if (request === undefined || request.complete || request.destroyed) destroySoon();
      else {
        socket.end();
        request.once('end', destroySoon);
      }
    };
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket, headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    current.set(socket, request);
    response.prependOnceListener('finish', () => {
      if (!request.complete && !socket.destroyed) drop(request, socket, limitMs);
    });
  });
}

function drop(request: IncomingMessage, socket: Socket, limitMs: number): void {
  const last = socket.bytesRead + MAX_DROPPED_OCTETS;
  const until = performance.now() + limitMs;
  const check = setInterval(() => {
    if (socket.bytesRead <= last && performance.now() <= until) return;
    clearInterval(check);
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }, CHECK_INTERVAL_MS).unref();
  const stop = () => {
    clearInterval(check);
    socket.off('close', stop);
  };
  request.resume().once('end', stop);
  socket.once('close', stop);
}
