import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLimits } from '../../config/config.js';
import { routeSettings } from '../../http/route-settings.js';
import { Metrics } from '../../metrics/metrics.js';
import { Problem } from '../../problem/problem.js';
import { clientOf } from '../current-principal.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import type { LargeBodies } from './large-bodies.js';
import { rateLimitHeaders, setRateLimitHeaders } from './rate-limit-headers.js';
import { TokenBuckets } from './token-buckets.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    longLived?: boolean;
    uncounted?: boolean;
  }
}

/** Marks a route with long requests, such as long polls and event streams, whose concurrency has a separate limit. */
export const LongLived = (): MethodDecorator => routeSettings({ longLived: true });

/** Marks routes without authentication and limits, such as health checks. */
export const Uncounted = (): ClassDecorator => routeSettings({ uncounted: true });

/** Limits the rate and the concurrency of each client before the body is read. Without an authenticated key, a client is an address. */
export class LimitsGuard {
  private readonly buckets: TokenBuckets | null;
  private readonly short: ConcurrencyLimiter;
  private readonly long: ConcurrencyLimiter;

  constructor(
    private readonly metrics: Metrics,
    private readonly largeBodies: LargeBodies,
    { perKeyPerMinute, concurrentPerKey, longLivedPerKey }: RequestLimits,
  ) {
    this.buckets = perKeyPerMinute === 0 ? null : new TokenBuckets(perKeyPerMinute);
    this.short = new ConcurrencyLimiter(concurrentPerKey);
    this.long = new ConcurrencyLimiter(longLivedPerKey);
  }

  admit(request: FastifyRequest, reply: FastifyReply): void {
    const client = clientOf(request);
    this.requireRate(client, reply);
    this.requireRoom(client, reply, request.routeOptions.config.longLived === true);
    this.largeBodies.admit(request);
  }

  /** @returns the rate limit headers as alternating names and values, none without a limit. Null if the request exceeds the limit. */
  takeRate(client: string): readonly string[] | null {
    if (this.buckets === null) return [];
    const taken = this.buckets.take(client);
    return taken.ok ? rateLimitHeaders('key', this.buckets.quota, taken).flat() : null;
  }

  private requireRate(client: string, reply: FastifyReply): void {
    if (this.buckets === null) return;
    const taken = this.buckets.take(client);
    setRateLimitHeaders(reply, 'key', this.buckets.quota, taken);
    if (taken.ok) return;
    this.metrics.rejected('key_rate');
    const detail = `A client may send at most ${this.buckets.quota} requests a minute. Retry in ${taken.retryAfter} s.`;
    throw new Problem('RATE_LIMITED', detail, { headers: { 'retry-after': String(taken.retryAfter) } });
  }

  private requireRoom(client: string, reply: FastifyReply, isLong: boolean): void {
    const limiter = isLong ? this.long : this.short;
    if (limiter.acquire(client, reply.raw)) return;
    this.metrics.rejected(isLong ? 'key_long_lived' : 'key_concurrency');
    const kind = isLong ? 'long polls and event streams' : 'requests';
    const detail = `A client may have at most ${limiter.most} concurrent ${kind}. Wait until one of them ends.`;
    throw new Problem('CONCURRENCY_LIMITED', detail, { headers: { 'retry-after': '1' } });
  }
}
