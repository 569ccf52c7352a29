import type { FastifyInstance } from 'fastify';
import type { HrlsHandler } from './hrls.handler.js';

/** The routes of the reverse look-up servlet of EUDAT. */
export function addHrlsRoutes(server: FastifyInstance, handler: HrlsHandler): void {
  const method = ['GET', 'HEAD'];
  server.route({
    method,
    url: '/hrls/ping',
    config: { scopes: [] },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK\n'),
  });
  for (const url of ['/hrls/handles', '/hrls/handles/:prefix']) {
    server.route({ method, url, config: { scopes: ['read'], lists: true }, handler: handler.search });
  }
}
