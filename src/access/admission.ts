import type { FastifyInstance } from 'fastify';
import type { Faces } from '../http/face.js';
import type { AccessGuard } from './access.guard.js';
import type { LargeBodies } from './large-bodies.js';
import type { LimitsGuard } from './limits.guard.js';

/**
 * Authenticates, authorises and limits each request when its headers have arrived, before the body is read. Paths and
 * methods that do not exist need no key and count by address, except those that the face does not count.
 */
export function admitRequests(
  server: FastifyInstance,
  faces: Faces,
  access: AccessGuard,
  limits: LimitsGuard,
  largeBodies: LargeBodies,
): void {
  server.addHook('onRequest', async (request, reply) => {
    const { scopes, uncounted = false } = request.routeOptions.config;
    if (uncounted || (scopes === undefined && faces.of(request).uncounted.test(request.url))) return;
    if (scopes !== undefined && scopes.length > 0) await access.admit(request, scopes);
    limits.admit(request, reply);
  });
  largeBodies.watchChunked(server);
}
