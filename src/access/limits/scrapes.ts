import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../../metrics/metrics.js';
import { Places, holderOf } from './places.js';

/**
 * Limits concurrent scrapes, which share one large text. Further scrapes are rejected, because a scrape that waits would need another text.
 */
export class Scrapes {
  private readonly places = new Places(8, 4, 0);

  constructor(private readonly metrics: Metrics) {}

  /** @throws Problem as `Places.run` does. */
  text(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    void reply.type(this.metrics.contentType).header('cache-control', 'no-store');
    return this.places.run(holderOf(request, reply), () => this.metrics.scrape());
  }
}
