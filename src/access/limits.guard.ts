import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLimits } from '../config/config.js';
import { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { NOBODY, callerOf } from './caller.js';
import { clientName } from './client-name.js';
import { InFlight } from './in-flight.js';
import { tellQuota } from './rate-fields.js';
import { TokenBuckets } from './token-buckets.js';

const LONG_LIVED = 'access:long-lived';

/** Marks a route whose requests may wait for news, such as long polls and event streams: they have a bound of their own. */
export const LongLived = (): MethodDecorator => SetMetadata(LONG_LIVED, true);

/**
 * Holds each client to its rate and to its number of requests at once. It runs behind the guard that finds out who the
 * client is, and before the body is validated. What is public is not counted.
 */
@Injectable()
export class LimitsGuard implements CanActivate {
  private readonly buckets: TokenBuckets | null;
  private readonly short: InFlight;
  private readonly long: InFlight;

  constructor(
    private readonly reflector: Reflector,
    private readonly metrics: Metrics,
    { perKeyPerMinute, concurrentPerKey, longLivedPerKey }: RequestLimits,
  ) {
    this.buckets = perKeyPerMinute === 0 ? null : new TokenBuckets(perKeyPerMinute);
    this.short = new InFlight(concurrentPerKey);
    this.long = new InFlight(longLivedPerKey);
  }

  /** @throws Problem RATE_LIMITED or CONCURRENCY_LIMITED */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const caller = callerOf(request);
    if (caller === NOBODY) return true;
    const client = clientName(caller, request.ip);
    const reply = http.getResponse<FastifyReply>();
    this.requireRate(client, reply);
    const isLong = this.reflector.get<true | undefined>(LONG_LIVED, context.getHandler()) === true;
    this.requireRoom(client, reply, isLong);
    return true;
  }

  private requireRate(client: string, reply: FastifyReply): void {
    if (this.buckets === null) return;
    const taken = this.buckets.take(client);
    tellQuota(reply, 'key', this.buckets.quota, taken);
    if (taken.ok) return;
    this.metrics.refused('key_rate');
    const detail = `One client may send ${this.buckets.quota} requests a minute; send this one again in ${taken.retryAfter} s.`;
    throw new Problem('RATE_LIMITED', detail, { headers: { 'retry-after': String(taken.retryAfter) } });
  }

  private requireRoom(client: string, reply: FastifyReply, isLong: boolean): void {
    const { most } = isLong ? this.long : this.short;
    if ((isLong ? this.long : this.short).enter(client, reply.raw)) return;
    this.metrics.refused(isLong ? 'key_long_lived' : 'key_concurrency');
    const kind = isLong ? 'long polls and event streams' : 'requests';
    const detail = `One client may have ${most} ${kind} under way at once; wait for one of them to end.`;
    throw new Problem('CONCURRENCY_LIMITED', detail, { headers: { 'retry-after': '1' } });
  }
}
