import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { currentTurn } from './event-loop-turn.js';

/** How many requests of one connection may wait for earlier responses. */
const MAX_WAITING = 31;

/** Return value of `onIncoming` that ends the parsing of the bytes that were read. Node.js uses it for requests that upgrade from HTTP. */
const STOP = 2;

interface Connection {
  waiting: number;
  /** The turn of the event loop in which its last request began. */
  turn: number;
  last: ServerResponse | null;
  /** Whether bytes of the client were dropped, so that the following bytes do not start a request. */
  isStopped: boolean;
}

/** A connection with its parser, for which Node.js declares no type. */
type ParsedSocket = Socket & { readonly parser: { onIncoming: (...request: unknown[]) => number } };

type BeginRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Bounds the cost of pipelined requests (RFC 9112 9.3.2), because Node begins every request of a packet at once. */
export class Pipelining {
  private readonly connections = new WeakMap<object, Connection>();

  /**
   * Begins each request only after the responses before it have been sent. Otherwise, all responses for a client that does not read would
   * be kept in memory. Begins at most one request of a connection in each turn of the event loop. Otherwise, all requests of a packet would
   * precede the requests of other connections.
   */
  inTurn(begin: BeginRequest): BeginRequest {
    return (request, response) => {
      const connection = this.connections.get(request.socket);
      const turn = currentTurn();
      if (connection === undefined || (response.socket !== null && connection.turn !== turn)) {
        if (connection !== undefined) connection.turn = turn;
        begin(request, response);
        return;
      }
      connection.waiting += 1;
      connection.last = response;
      const beginLater = (): void =>
        void setImmediate(() => {
          connection.waiting -= 1;
          connection.turn = currentTurn();
          if (!response.destroyed) begin(request, response);
        });
      // Node assigns the socket to a response when the responses before it have been sent.
      if (response.socket === null) response.once('socket', beginLater);
      else beginLater();
    };
  }

  /**
   * Stops parsing a connection on which `MAX_WAITING` requests wait, because parsing a request of only 18 bytes takes 10 µs and 3 KB. The
   * response to the last of them closes the connection, so that the client sends the following requests again (RFC 9112 9.3.2).
   *
   * Wraps a method of Node's parser. A listener for the bytes of the socket would make Node.js read them in JavaScript, which costs 7 % of
   * the rate of look-ups.
   */
  limit(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection: Connection = { waiting: 0, turn: 0, last: null, isStopped: false };
      this.connections.set(socket, connection);
      const { parser } = socket as ParsedSocket;
      const begin = parser.onIncoming;
      parser.onIncoming = (...request) => {
        if (connection.waiting < MAX_WAITING && !connection.isStopped) return begin(...request);
        connection.isStopped = true;
        if (connection.last !== null) connection.last.shouldKeepAlive = false;
        // The socket is paused in the next tick, because Node.js resumes it after the request that is being parsed.
        process.nextTick(() => socket.pause());
        return STOP;
      };
    });
  }
}
