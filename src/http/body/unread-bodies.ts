import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Octets of a body that are dropped after its response: twice the default of the largest body. */
const MAX_DROPPED_OCTETS = 33_554_432;

const CHECK_INTERVAL_MS = 250;

/** Drops the rest of an unread body, so that the connection can have further requests. */
export function dropUnreadBodies(server: Server, limitMs: number): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket, headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
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
    socket.destroySoon();
  }, CHECK_INTERVAL_MS).unref();
  const stop = () => {
    clearInterval(check);
    socket.off('close', stop);
  };
  request.resume().once('end', stop);
  socket.once('close', stop);
}
