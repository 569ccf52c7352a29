import type { FastifyReply } from 'fastify';
import { type TakeResult, WINDOW_SECONDS } from './token-buckets.js';

/** Appends a quota to `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
export function setRateLimitHeaders(reply: FastifyReply, policy: string, quota: number, taken: TakeResult): void {
  for (const [name, member] of rateLimitHeaders(policy, quota, taken)) append(reply, name, member);
}

export function rateLimitHeaders(policy: string, quota: number, taken: TakeResult): readonly [string, string][] {
  return [
    ['ratelimit-policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`],
    ['ratelimit', `"${policy}";r=${taken.remaining};t=${taken.fullIn}`],
  ];
}

function append(reply: FastifyReply, name: string, member: string): void {
  const before = reply.getHeader(name);
  void reply.header(name, typeof before === 'string' ? `${before}, ${member}` : member);
}
