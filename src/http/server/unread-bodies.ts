import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { end } from './client-errors.js';

/**
 * Reads and drops the rest of a body whose request was answered before its end, so that the client receives the response and the
 * connection can have further requests. Where the client asks for the end of the connection, Node would close it with unread octets.
 */
export function dropUnreadBodies(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket, headers } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    const isLast = !response.shouldKeepAlive;
    response.shouldKeepAlive = true;
    response.prependOnceListener('finish', () => {
      const close = (): void => {
        if (isLast) end(socket);
      };
      if (request.complete) close();
      else request.resume().once('end', close);
    });
  });
}
