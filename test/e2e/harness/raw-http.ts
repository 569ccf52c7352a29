import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

/** The received text of a connection, and its end. */
export interface RawConnection {
  readonly socket: Socket;
  readonly received: () => string;
  /** The error code of the connection, such as ECONNRESET; null without an error. */
  readonly error: () => NodeJS.ErrnoException | null;
  /** Resolves when the received text contains `text`; rejects when the connection ends first, or after `limitMs`. */
  until(text: string, limitMs?: number): Promise<string>;
  /** Resolves when the connection is closed; rejects after `limitMs`. */
  closed(limitMs?: number): Promise<void>;
}

const LIMIT_MS = 10_000;

/** Opens a connection on which a test writes the bytes of HTTP. */
export async function connectTo(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  let error: NodeJS.ErrnoException | null = null;
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('error', (cause) => (error = cause));
  await once(socket, 'connect');
  const wait = (done: () => boolean, what: string, limitMs: number) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (done()) settle(resolve);
        else if (socket.closed)
          settle(() => {
            reject(new Error(`closed before ${what}: ${String(error)} ${received.slice(0, 200)}`));
          });
      };
      const limit = setTimeout(() => {
        settle(() => {
          reject(new Error(`no ${what} in time: ${received.slice(0, 200)}`));
        });
      }, limitMs);
      const settle = (work: () => void) => {
        clearTimeout(limit);
        socket.off('data', check).off('close', check);
        work();
      };
      socket.on('data', check).on('close', check);
      check();
    });
  return {
    socket,
    received: () => received,
    error: () => error,
    until: async (text, limitMs = LIMIT_MS) => {
      await wait(() => received.includes(text), JSON.stringify(text), limitMs);
      return received;
    },
    closed: (limitMs = LIMIT_MS) => wait(() => socket.closed, 'end of the connection', limitMs),
  };
}
