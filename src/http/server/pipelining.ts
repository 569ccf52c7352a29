import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait for earlier responses. */
const MAX_WAITING = 31;

const LF = 0x0a;
const CR = 0x0d;

/** Bytes of the shortest request head that Node's parser accepts: `GET /`, a line feed, and an empty line. */
const SHORTEST_HEAD = 7;

interface Connection {
  waiting: number;
  isFull: boolean;
}

type BeginRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Bounds the cost of pipelined requests (RFC 9112 9.3.2), because Node begins every request of a packet at once. */
export class Pipelining {
  private readonly connections = new WeakMap<object, Connection>();

  /**
   * Begins each request only after the responses before it were sent. Otherwise all responses for a client that does not read would be made
   * and kept in memory.
   */
  inTurn(begin: BeginRequest): BeginRequest {
    return (request, response) => {
      const { socket } = request;
      const connection = response.socket === null ? this.connections.get(socket) : undefined;
      if (connection === undefined) {
        begin(request, response);
        return;
      }
      connection.waiting += 1;
      // Node assigns the socket to a response when those before it were sent.
      response.once('socket', () => {
        connection.waiting -= 1;
        if (connection.isFull) socket.resume();
        connection.isFull = false;
        begin(request, response);
      });
    };
  }

  /**
   * Stops reading a connection with `MAX_WAITING` requests, because parsing one takes 10 µs and 3 KB for as little as 18 bytes. Replaces
   * Node's parser as the listener for bytes, and passes it only what there is room for.
   */
  limit(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection = { waiting: 0, isFull: false };
      this.connections.set(socket, connection);
      const parsers = socket.listeners('data') as ((bytes: Buffer) => void)[];
      socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
        let rest = bytes;
        while (rest.length > 0 && this.connections.has(socket)) {
          const room = MAX_WAITING - connection.waiting;
          if (room <= 0) {
            connection.isFull = true;
            socket.pause();
          }
          // Node also pauses the socket, and its parser must get no bytes then.
          if (socket.isPaused()) {
            socket.unshift(rest);
            return;
          }
          const length = lengthOfHeads(rest, room);
          const isAll = length === rest.length;
          for (const parse of parsers) parse(isAll ? rest : rest.subarray(0, length));
          if (isAll) return;
          rest = rest.subarray(length);
        }
      });
    });
    // Node detaches its parser from a connection that becomes a tunnel.
    server.prependListener('connect', ({ socket }) => this.connections.delete(socket));
  }
}

/**
 * Returns a number of bytes that contains at most `most` (1 or more) request heads; estimated from empty lines.
 * @param bytes received bytes, from any position of a request.
 * @returns at least 1, at most all bytes.
 */
export function lengthOfHeads(bytes: Buffer, most: number): number {
  if (bytes.length <= most * SHORTEST_HEAD) return bytes.length;
  let length = 0;
  for (let heads = 0; heads < most; heads++) {
    const end = endOfEmptyLine(bytes, length + SHORTEST_HEAD - 2);
    if (end < 0) return bytes.length;
    length = end;
  }
  return length;
}

/** Offset after the first empty line that follows a line feed at `from` or later; -1 if there is none. */
function endOfEmptyLine(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return -1;
}
