import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Octets of a body that are read and dropped after its response: twice what the largest accepted body has by default. */
const MAX_DROPPED_OCTETS = 33_554_432;

const CHECK_INTERVAL_MS = 250;

/** For how long a connection is still read after its end was sent (RFC 9112 9.6). */
const LINGER_MS = 2000;

/**
 * Lets a client read the response to a request whose body was not read. Closing a connection while the client sends
 * resets it, and the reset can discard the response (RFC 9112 9.6). So the rest of the body is read and dropped, up to
 * a number of octets and a time, before the connection is closed.
 */
export function dropUnreadBodies(server: Server, limitMs: number): void {
  const current = new WeakMap<Socket, IncomingMessage>();
  server.on('connection', (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it after the last response of a connection.
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
  };
  request.resume().once('end', stop);
  socket.once('close', stop);
}
