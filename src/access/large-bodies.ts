import type { ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStreamed } from '../http/body/streamed-body.js';
import { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { type Principal, principalOf } from './principal.js';
import { ipPrefixOf } from './client-identity.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/** Bodies from this size on count against the memory limit of the process. */
const COUNTED_OCTETS = 65_536;

/** Bodies from this size on, without a key, count against the limit of their address. */
const LARGE_OCTETS = 1_048_576;

/** How many bodies of the largest size fit into memory at once, separately without and with keys. */
const LARGEST_AT_ONCE = 4;

/**
 * Limits the large bodies in memory: their octets in the process, separately for requests with and without a key, and
 * their number per address without a key. A body counts until its response ends.
 */
export class LargeBodies {
  private readonly byAddress: ConcurrencyLimiter;
  private readonly octets = { anonymous: 0, keyed: 0 };

  /**
   * @param perAddress concurrent large bodies of one address without a key; 0 for no limit.
   * @param largest octets of the largest permitted body.
   */
  constructor(
    private readonly metrics: Metrics,
    perAddress: number,
    private readonly largest: number,
  ) {
    this.byAddress = new ConcurrencyLimiter(perAddress);
  }

  /** Counts the announced size of a body. @throws Problem CONCURRENCY_LIMITED or OVERLOADED */
  admit(request: FastifyRequest, reply: FastifyReply): void {
    if (isCounted(request)) this.enter(request, reply, Number(request.headers['content-length'] ?? 0));
  }

  /** Counts bodies without Content-Length once they reach the size. */
  watchChunked(server: FastifyInstance): void {
    server.addHook('preParsing', (request, reply, payload, done) => {
      if (request.headers['transfer-encoding'] === undefined || !isCounted(request)) {
        done(null, payload);
        return;
      }
      let octets = 0;
      const counter = new Transform({
        transform: (chunk: Buffer, _encoding, next) => {
          const before = octets;
          octets += chunk.length;
          if (before > LARGE_OCTETS || octets <= LARGE_OCTETS) next(null, chunk);
          else next(this.refusal(request, reply), chunk);
        },
      });
      // Not a pipeline, which would destroy the connection and the response with it.
      payload.on('error', (error) => counter.destroy(error));
      counter.once('error', () => {
        payload.unpipe(counter);
        payload.resume();
      });
      done(null, payload.pipe(counter));
    });
  }

  private refusal(request: FastifyRequest, reply: FastifyReply): Error | null {
    try {
      this.enter(request, reply, this.largest);
      return null;
    } catch (error) {
      return error as Error;
    }
  }

  private enter(request: FastifyRequest, reply: FastifyReply, octets: number): void {
    const principal = principalOf(request);
    if (principal.isAnonymous && octets > LARGE_OCTETS) this.requireRoom(ipPrefixOf(request.ip), reply.raw);
    if (octets > COUNTED_OCTETS) this.requireMemory(principal, reply.raw, octets);
  }

  private requireRoom(address: string, response: ServerResponse): void {
    if (this.byAddress.acquire(address, response)) return;
    this.metrics.refused('address_large_bodies');
    const detail = `Without an API key, one address may send at most ${this.byAddress.most} bodies of more than 1 MiB at the same time. Wait until one of these requests ends, or send smaller bodies.`;
    throw new Problem('CONCURRENCY_LIMITED', detail, { headers: { 'retry-after': '1' } });
  }

  private requireMemory(principal: Principal, response: ServerResponse, octets: number): void {
    const kind = principal.isAnonymous ? 'anonymous' : 'keyed';
    if (this.octets[kind] + octets > LARGEST_AT_ONCE * this.largest) {
      this.metrics.refused('large_bodies');
      const detail = 'The service is processing other large bodies. Nothing was changed; retry after Retry-After.';
      throw new Problem('OVERLOADED', detail, { headers: { 'retry-after': '1' } });
    }
    if (response.closed) return;
    this.octets[kind] += octets;
    response.once('close', () => {
      this.octets[kind] -= octets;
    });
  }
}

function isCounted(request: FastifyRequest): boolean {
  return request.routeOptions.config.largeBody === true && !isStreamed(request);
}
