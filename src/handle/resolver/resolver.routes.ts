import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { LimitsGuard } from '../../access/limits/limits.guard.js';
import { acceptForms } from '../../http/request-target.js';
import { unknownPath } from '../../http/server/method-not-allowed.js';
import type { NamingAuthorityReads } from '../../storage/replica/reads.js';
import { type Entrance, RESOLVER_ROUTE, entryOf } from './entrance.js';
import { leaveInterface } from './resolver-interface.js';
import type { ResolverHandler } from './resolver.handler.js';

/** Seconds for which browsers may store the response to a preflight request: the maximum that any browser accepts. */
const PREFLIGHT_SECONDS = 86_400;

/** The response to a preflight request (WHATWG Fetch, "CORS protocol"). It is the same for every origin. */
const PREFLIGHT_HEADERS = {
  allow: 'GET, HEAD, OPTIONS, POST',
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'X-Requested-With, Authorization, Origin, Accept, Content-Type',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};

/**
 * Reads the naming authorities again for a path with an unknown prefix, because another process might have created the prefix. This hook
 * must be the first one that rejects unknown paths.
 */
export function confirmPrefixes(
  server: FastifyInstance,
  entrance: Entrance,
  authorities: NamingAuthorityReads,
  limits: LimitsGuard,
): void {
  entrance.use(authorities);
  server.addHook('onRequest', (request, reply, done) => {
    const entry = entryOf(request.raw);
    if (entry?.kind !== 'name' || !entry.isDoubtful) {
      done();
      return;
    }
    const { raw, originalUrl, method } = request;
    authorities
      .current()
      .catch((error: unknown) => {
        limits.admit(request, reply);
        throw error;
      })
      .then(() => {
        if (entrance.reread(raw, originalUrl) !== null) return;
        leaveInterface(reply);
        limits.admit(request, reply);
        throw unknownPath(method, originalUrl);
      })
      .then(() => {
        done();
      }, done);
  });
}

/** The routes of the resolver. They bypass Nest's guards and pipes. Hooks admit requests, and the handler parses them. */
export function resolverRoutes({ handle }: ResolverHandler): FastifyPluginCallback {
  return (server, _options, done) => {
    acceptForms(server);
    server.route({
      method: ['GET', 'HEAD', 'POST'],
      url: RESOLVER_ROUTE,
      config: { scopes: ['read'], onlyReads: true },
      handler: handle,
    });
    server.route({
      method: 'OPTIONS',
      url: RESOLVER_ROUTE,
      handler: (_request, reply) => reply.code(204).headers(PREFLIGHT_HEADERS).send(),
    });
    done();
  };
}
