import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { lengthOfHeads } from './request-heads.js';

/** How many requests of one connection may be unanswered at once. */
const MAX_UNANSWERED = 32;

/** Pauses a connection with `MAX_UNANSWERED` requests (RFC 9112 9.3.2). Node would start every request of a packet. */
export function limitPipelining(server: Server): void {
  const connections = new WeakMap<object, Connection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Connection(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    connections.get(socket)?.opened(response);
  });
}

/**
 * Starts each GET and HEAD of a connection when the responses before it were sent. Otherwise a client that does not
 * read would have up to `MAX_UNANSWERED` responses made and kept in memory.
 */
export function answerReadsInTurn(server: FastifyInstance): void {
  server.addHook('onRequest', ({ method }, { raw }, done) => {
    const isQueued = raw.socket === null && !raw.destroyed;
    if (!isQueued || (method !== 'GET' && method !== 'HEAD')) done();
    else
      raw.once('socket', () => {
        done();
      });
  });
}

/**
 * Sits between a socket and Node's parser, which listens to its `data` events. Node itself also pauses the socket, and
 * the parser must not get data then.
 */
class Connection {
  /** The last response that arrived without another one before it. It has no listener, because most connections have one request at a time. */
  private alone: ServerResponse | null = null;
  /** The responses of several requests at once. */
  private readonly unanswered = new Set<ServerResponse>();
  private readonly parse: (octets: Buffer) => void;
  /** Octets that were read and not parsed. */
  private held: Buffer | null = null;
  private isFull = false;

  constructor(private readonly socket: Socket) {
    // Until a socket has its own listener, Node passes the octets to the parser without an event.
    const listener = (): void => {};
    socket.on('data', listener).off('data', listener);
    const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean;
    this.parse = (octets) => void emit('data', octets);
    socket.emit = (event: string | symbol, ...values: unknown[]) => {
      if (event !== 'data') return emit(event, ...values);
      this.add(values[0] as Buffer);
      return true;
    };
    socket.on('resume', () => {
      this.proceed();
    });
    socket.once('close', () => {
      this.close();
    });
  }

  opened(response: ServerResponse): void {
    if (this.count === 0) {
      this.alone = response;
      return;
    }
    if (this.alone !== null) this.watch(this.alone);
    this.alone = null;
    this.watch(response);
  }

  private get count(): number {
    return this.alone === null || this.alone.closed ? this.unanswered.size : 1;
  }

  private watch(response: ServerResponse): void {
    this.unanswered.add(response);
    response.on('close', () => {
      this.unanswered.delete(response);
      if (!this.isFull) return;
      this.isFull = false;
      this.socket.resume();
    });
  }

  private add(octets: Buffer): void {
    this.held = this.held === null ? octets : Buffer.concat([this.held, octets]);
    this.proceed();
  }

  private proceed(): void {
    while (this.held !== null && !this.socket.isPaused()) {
      // The last response was sent; the rest is read only so that the client receives it.
      if (this.socket.writableEnded || this.socket.destroyed) {
        this.held = null;
        return;
      }
      // A head that began earlier may end in these octets.
      const room = MAX_UNANSWERED - this.count - 1;
      if (room <= 0) {
        this.isFull = true;
        this.socket.pause();
        return;
      }
      const octets = this.held;
      const length = lengthOfHeads(octets, room);
      this.held = length < octets.length ? octets.subarray(length) : null;
      this.parse(octets.subarray(0, length));
    }
  }

  /** Closes queued responses: Node closes only the first when the connection ends. */
  private close(): void {
    this.held = null;
    for (const response of this.unanswered) {
      if (response.socket !== null) continue;
      Object.defineProperty(response, 'closed', { value: true });
      response.destroy();
      response.emit('close');
    }
  }
}
