import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { end } from './client-errors.js';

/**
 * Reads and drops the rest of a body if the response is sent before the body has arrived, so that the client receives the response and can
 * reuse the connection.
 *
 * Overrides `destroySoon` of sockets, with which Node closes a connection after a response with `Connection: close`, even if bytes are
 * unread. That resets the connection and can discard the response (RFC 9112 9.6); no setting of Node changes this.
 */
export function dropUnreadBodies(server: Server): void {
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = () => {
      end(socket);
    };
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    response.prependOnceListener('finish', () => {
      if (!request.complete) request.resume();
    });
  });
}
