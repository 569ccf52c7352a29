import type { FastifyReply } from 'fastify';
import { type Taken, WINDOW_SECONDS } from './token-buckets.js';

/**
 * Tells a client about its quota by `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). Both are
 * lists of structured fields, with a member for each quota that the request was counted in.
 * @param policy the name of the quota, a constant of the code.
 */
export function tellQuota(reply: FastifyReply, policy: string, quota: number, taken: Taken): void {
  append(reply, 'ratelimit-policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`);
  append(reply, 'ratelimit', `"${policy}";r=${taken.remaining};t=${taken.fullIn}`);
}

function append(reply: FastifyReply, name: string, member: string): void {
  const before = reply.getHeader(name);
  void reply.header(name, typeof before === 'string' ? `${before}, ${member}` : member);
}
