import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';
import { METHODS_WITH_PATH } from './method-not-allowed.js';

/** The path of the routes for targets that the router cannot read, behind the first segment of their interface. */
const MALFORMED = '/{malformed}';

/** The first segments of the interface of Handle clients, which has a format of errors. */
const STARTS = ['', '/api', '/hrls', '/hdlresolver'] as const;

/**
 * The target that is routed in place of one that the router cannot read, whose rejection of its own would pass by every hook: a
 * path that is not percent-encoded UTF-8 or too long, and a target that is no path, such as "*". Any other is returned as it is.
 * @param target the target of a request, without scheme and authority.
 * @param longest characters of a path.
 */
export function routableTarget(target: string, longest: number): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  if (path.startsWith('/') && path.length <= longest && isDecodable(path)) return target;
  const start = STARTS.find((each) => each !== '' && path.startsWith(`${each}/`)) ?? '';
  return start + MALFORMED;
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Adds the routes of these targets. */
export function rejectMalformedTargets(server: FastifyInstance): void {
  const detail =
    'Percent-encode the path as UTF-8: "%" and two hexadecimal digits for each byte. The path may also be too long.';
  // A hook, so that the body is not read.
  const onRequest = (): Promise<never> => Promise.reject(new Problem('MALFORMED_URL', detail));
  for (const start of STARTS)
    server.route({ method: METHODS_WITH_PATH, url: start + MALFORMED, onRequest, handler: onRequest });
}
