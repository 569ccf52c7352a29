import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait for earlier responses. */
const MAX_WAITING = 31;

/** Return value of `onIncoming` that ends the parsing of the bytes that were read. Node.js uses it for requests that upgrade from HTTP. */
const STOP = 2;

interface Connection {
  waiting: number;
  /** The last response that waited. If it closes the connection, the bytes after its request start no request. */
  last: ServerResponse | null;
}

/** A connection with its parser, for which Node.js declares no type. */
type ParsedSocket = Socket & { readonly parser: { onIncoming: (...request: unknown[]) => number } };

type BeginRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Bounds the cost of pipelined requests (RFC 9112 9.3.2), because Node begins every request of a packet at once. */
export class Pipelining {
  private readonly connections = new WeakMap<object, Connection>();

  /**
   * Begins each request only after the responses before it have been sent. Otherwise, all responses for a client that does not read would
   * be kept in memory. Each request begins in a later turn of the event loop, so that the requests of a packet do not precede requests of
   * other connections.
   */
  inTurn(begin: BeginRequest): BeginRequest {
    return (request, response) => {
      const connection = this.connections.get(request.socket);
      if (connection === undefined || response.socket !== null) {
        begin(request, response);
        return;
      }
      connection.waiting += 1;
      connection.last = response;
      // Node assigns the socket to a response when the responses before it have been sent.
      response.once('socket', () => {
        setImmediate(() => {
          connection.waiting -= 1;
          if (!response.destroyed) begin(request, response);
        });
      });
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
      const connection: Connection = { waiting: 0, last: null };
      this.connections.set(socket, connection);
      const { parser } = socket as ParsedSocket;
      const begin = parser.onIncoming;
      parser.onIncoming = (...request) => {
        const { waiting, last } = connection;
        if (last === null || (waiting < MAX_WAITING && last.shouldKeepAlive)) return begin(...request);
        last.shouldKeepAlive = false;
        // The socket is paused in the next tick, because Node.js resumes it after the request that is being parsed.
        process.nextTick(() => socket.pause());
        return STOP;
      };
    });
  }
}
