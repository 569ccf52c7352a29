import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { HttpInterfaces } from '../http-interface.js';

/** Waits for requests in flight, and rejects new ones. */
export class Drain {
  private inFlight = 0;
  private readonly stop = new AbortController();
  private readonly half = new AbortController();
  /** Aborted when the drain begins, to end requests that would not end by themselves. */
  readonly stopping: AbortSignal = this.stop.signal;
  /** Aborted halfway through the drain, to end long requests with a response. */
  readonly halfOver: AbortSignal = this.half.signal;
  private emptied: (() => void) | undefined;
  private isAnnounced = false;

  constructor() {
    // Every open stream listens to both signals, and Node.js would warn about many listeners. Other limits bound the number of streams.
    setMaxListeners(0, this.stop.signal, this.half.signal);
  }

  /** Counts all requests. During the drain, rejects new ones except on the paths of `servedInDrain`. */
  watch(server: FastifyInstance, interfaces: HttpInterfaces): void {
    server.addHook('onRequest', (request, reply, done) => {
      // Uses "close", because "onResponse" does not run for an aborted request, which would otherwise be counted forever.
      if (!reply.raw.closed) {
        this.inFlight += 1;
        reply.raw.once('close', this.leave);
      }
      if (!this.stopping.aborted || interfaces.of(request).servedInDrain.test(request.url)) {
        done();
        return;
      }
      void reply.header('connection', 'close');
      done(shuttingDown());
    });
  }

  /** Lets load balancers detect the stop before requests are rejected. */
  async announce(delayMs: number): Promise<void> {
    this.isAnnounced = true;
    await pause(delayMs);
  }

  /** @throws Problem SHUTTING_DOWN after the stop was announced. */
  requireOpen(): void {
    if (!this.isAnnounced) return;
    const detail =
      'This instance is stopping. Send new requests to another one; those that it receives are served until it stops.';
    throw new Problem('SHUTTING_DOWN', detail, { headers: { 'retry-after': '5' } });
  }

  private readonly leave = (): void => {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.emptied?.();
  };

  /** Rejects new requests and waits for those in flight. @returns the number of requests that are unfinished after the timeout. */
  async start(timeoutMs: number): Promise<number> {
    this.stop.abort();
    if (this.inFlight > 0) {
      setTimeout(() => {
        this.half.abort();
      }, timeoutMs / 2).unref();
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, timeoutMs);
        this.emptied = () => {
          clearTimeout(limit);
          resolve();
        };
      });
    }
    return this.inFlight;
  }
}

function shuttingDown(): Problem {
  const detail = 'This instance is shutting down and accepts no new requests. Retry later or on another instance.';
  return new Problem('SHUTTING_DOWN', detail, { headers: { 'retry-after': '5' } });
}
