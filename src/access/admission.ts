import type { FastifyInstance } from 'fastify';
import type { AccessGuard } from './access.guard.js';
import type { LargeBodies } from './large-bodies.js';
import type { LimitsGuard } from './limits.guard.js';

/**
 * Authenticates, authorises and limits every request when its headers have arrived. The body is not read before, so a
 * rejected request costs little.
 */
export function admitRequests(
  server: FastifyInstance,
  access: AccessGuard,
  limits: LimitsGuard,
  largeBodies: LargeBodies,
): void {
  server.addHook('onRequest', async (request, reply) => {
    const { scopes, uncounted = false } = request.routeOptions.config;
    if (scopes === undefined || uncounted) return;
    if (scopes.length > 0) await access.admit(request, scopes);
    limits.admit(request, reply);
  });
  largeBodies.watchChunked(server);
}
