import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';
import { decoded } from '../request-target.js';
import { METHODS_WITH_PATH } from './method-not-allowed.js';

/** Path of the routes for unroutable targets, after the first segment of their interface. */
const MALFORMED = '/{malformed}';

/** First segments of the interface for Handle clients, which has its own error format. The empty text is for other interfaces. */
const STARTS = ['', '/api', '/hrls', '/hdlresolver'] as const;

/**
 * Replaces a target that the router cannot read: a path that is too long or not percent-encoded UTF-8, or a target that is not a path, such
 * as "*". The router would reject it without running any hook.
 */
export function routableTarget(target: string, longest: number): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  if (path.startsWith('/') && path.length <= longest && (!path.includes('%') || decoded(path) !== null)) return target;
  const start = STARTS.find((each) => each !== '' && path.startsWith(`${each}/`)) ?? '';
  return start + MALFORMED;
}

/** Adds the routes to which `routableTarget` leads. */
export function rejectMalformedTargets(server: FastifyInstance): void {
  const detail =
    'Percent-encode the path as UTF-8: "%" and two hexadecimal digits for each byte. The path may also be too long.';
  // This is a hook, so that the body is not read.
  const onRequest = (): Promise<never> => Promise.reject(new Problem('MALFORMED_URL', detail));
  for (const start of STARTS)
    server.route({ method: METHODS_WITH_PATH, url: start + MALFORMED, onRequest, handler: onRequest });
}
