import type { FastifyReply } from 'fastify';
import { type TakeResult, WINDOW_SECONDS } from './token-buckets.js';

/** Sets the member of a policy in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
export function setRateLimitHeaders(reply: FastifyReply, policy: string, quota: number, taken: TakeResult): void {
  for (const [name, member] of rateLimitHeaders(policy, quota, taken)) setMember(reply, name, policy, member);
}

export function rateLimitHeaders(policy: string, quota: number, taken: TakeResult): readonly [string, string][] {
  return [
    ['ratelimit-policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`],
    ['ratelimit', `"${policy}";r=${taken.remaining};t=${taken.fullIn}`],
  ];
}

function setMember(reply: FastifyReply, name: string, policy: string, member: string): void {
  const before = reply.getHeader(name);
  const others = typeof before === 'string' ? before.split(', ').filter((each) => !each.startsWith(`"${policy}"`)) : [];
  void reply.header(name, [...others, member].join(', '));
}
