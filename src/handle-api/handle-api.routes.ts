import type { FastifyPluginCallback } from 'fastify';
import { HANDLE_ROUTES } from './entrance.js';
import type { HandlesHandler } from './handles/handles.handler.js';

/** The routes of this face, without Nest's guards and pipes: hooks admit its requests, and the handlers read them. */
export function handleApiRoutes(handles: HandlesHandler): FastifyPluginCallback {
  return (server, _options, done) => {
    server.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, parsed) => {
        parsed(null, new URLSearchParams(body.toString()));
      },
    );
    const reading = { scopes: ['read'] as const, onlyReads: true };
    for (const url of ['/api/handles', '/api/handles/', HANDLE_ROUTES.handles]) {
      server.route({ method: ['GET', 'HEAD', 'POST'], url, config: reading, handler: handles.read });
    }
    done();
  };
}
