import type { FastifyInstance } from 'fastify';
import type { AccessGuard } from './access.guard.js';
import type { LargeBodies } from './large-bodies.js';
import type { LimitsGuard } from './limits.guard.js';

/** Probes are never limited, also with a path or a method that does not exist. */
const PROBES = /^\/health(?:[/?]|$)/;

/**
 * Authenticates, authorises and limits every request when its headers have arrived. The body is not read before, so a
 * rejected request costs little. Paths and methods that do not exist need no key and count by address.
 */
export function admitRequests(
  server: FastifyInstance,
  access: AccessGuard,
  limits: LimitsGuard,
  largeBodies: LargeBodies,
): void {
  server.addHook('onRequest', async (request, reply) => {
    const { scopes, uncounted = false } = request.routeOptions.config;
    if (uncounted || (scopes === undefined && PROBES.test(request.url))) return;
    if (scopes !== undefined && scopes.length > 0) await access.admit(request, scopes);
    limits.admit(request, reply);
  });
  largeBodies.watchChunked(server);
}
