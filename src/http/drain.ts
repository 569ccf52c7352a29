import type { FastifyInstance } from 'fastify';
import { Problem } from '../problem/problem.js';

/** Lets requests in flight finish while new ones are refused, so that a stop loses no answer. */
export class Drain {
  private inFlight = 0;
  private readonly stop = new AbortController();
  private emptied: (() => void) | undefined;

  /** Aborted when the drain begins: what would go on for ever ends then. */
  get stopping(): AbortSignal {
    return this.stop.signal;
  }

  /** Counts every request of a server, and refuses those that come while it drains. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      this.inFlight += 1;
      // Not onResponse: a client that hangs up gets no response, and its request would be counted for ever.
      reply.raw.once('close', () => {
        this.inFlight -= 1;
        if (this.inFlight === 0) this.emptied?.();
      });
      if (!this.stopping.aborted || request.url === '/health/live') {
        done();
        return;
      }
      void reply.header('connection', 'close');
      done(
        new Problem(
          'SHUTTING_DOWN',
          'This instance takes no new requests; send the request again to another one or later.',
          { headers: { 'retry-after': '5' } },
        ),
      );
    });
  }

  /**
   * Refuses new requests from now on and waits for the ones in flight.
   * @param timeoutMs how long to wait at most.
   * @returns how many requests were still unfinished then.
   */
  async start(timeoutMs: number): Promise<number> {
    this.stop.abort();
    if (this.inFlight > 0) {
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
