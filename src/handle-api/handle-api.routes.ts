import type { FastifyPluginCallback } from 'fastify';
import { sendProblem } from './answers/send-problem.js';
import type { HandleApi } from './handle-api.js';
import { addHandlesRoutes } from './handles/handles.routes.js';
import { addHdlresolverRoutes } from './hdlresolver/hdlresolver.routes.js';
import { addHrlsRoutes } from './hrls/hrls.routes.js';

/** The routes of this face, without Nest's guards and pipes: hooks admit its requests, and the handlers read them. */
export function handleApiRoutes({ handles, hdlresolver, hrls, requiresKeys }: HandleApi): FastifyPluginCallback {
  return (server, _options, done) => {
    server.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, parsed) => {
        parsed(null, new URLSearchParams(body.toString()));
      },
    );
    // The router decodes a path before it compares it, so a face is not always known by the path.
    server.setErrorHandler(sendProblem);
    addHandlesRoutes(server, handles, requiresKeys);
    addHdlresolverRoutes(server, hdlresolver);
    addHrlsRoutes(server, hrls);
    done();
  };
}
