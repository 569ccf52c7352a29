import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../../metrics/metrics.js';
import { Places, holderOf } from './places.js';

/** Limits concurrent scrapes. Further requests wait, because each turn of the event loop should send only a few large responses. */
export class Scrapes {
  private readonly places = new Places(4, 2, 16);

  constructor(private readonly metrics: Metrics) {}

  /** @throws Problem as `Places.run` does. */
  text(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    void reply.type(this.metrics.contentType).header('cache-control', 'no-store');
    return this.places.run(holderOf(request, reply), () => this.metrics.scrape());
  }
}
