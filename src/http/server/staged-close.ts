import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Octets of a client that are dropped after the last response of its connection. */
const MAX_DROPPED_OCTETS = 33_554_432;

/** A connection is closed when its client has sent nothing for this time after the last response. */
const QUIET_MS = 2000;

const CHECK_INTERVAL_MS = 250;

/**
 * Closes connections in stages (RFC 9112 9.6): sends the end, reads and drops what the client still sends, and closes
 * when the client has closed or is quiet. Closing a connection with unread octets resets it, and a reset discards the
 * octets of the response that the client has not read yet.
 * @param limitMs the time after the end was sent that a client may go on sending.
 */
export function closeInStages(server: Server, limitMs: number): void {
  server.on('connection', (socket: Socket) => {
    let isClosing = false;
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      if (isClosing) return;
      isClosing = true;
      socket.end();
      drop(socket, limitMs);
    };
  });
}

function drop(socket: Socket, limitMs: number): void {
  const last = socket.bytesRead + MAX_DROPPED_OCTETS;
  let [read, quietSince, until] = [0, 0, Infinity];
  const check = setInterval(() => {
    const now = performance.now();
    // A response that is still being sent has its own time limit.
    const isSending = !socket.writableFinished;
    if (!isSending && until === Infinity) until = now + limitMs;
    if (isSending || socket.bytesRead !== read) [read, quietSince] = [socket.bytesRead, now];
    if (read > last) socket.pause();
    if (now > until || now > quietSince + QUIET_MS) socket.destroy();
  }, CHECK_INTERVAL_MS).unref();
  socket.resume().once('close', () => {
    clearInterval(check);
  });
}
