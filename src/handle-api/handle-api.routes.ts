import type { FastifyPluginCallback } from 'fastify';
import { acceptForms } from '../http/body/form-body.js';
import { sendProblem } from './answers/send-problem.js';
import type { HandleApi } from './handle-api.js';
import { addHandlesRoutes } from './handles/handles.routes.js';
import { addHdlresolverRoutes } from './hdlresolver/hdlresolver.routes.js';
import { addHrlsRoutes } from './hrls/hrls.routes.js';

/** The routes of this face, without Nest's guards and pipes: hooks admit its requests, and the handlers read them. */
export function handleApiRoutes({ handles, hdlresolver, hrls, requiresKeys }: HandleApi): FastifyPluginCallback {
  return (server, _options, done) => {
    acceptForms(server);
    server.addHook('onRoute', (route) => {
      route.config = { ...route.config, acceptsBasic: true };
    });
    // The router decodes a path before it compares it, so a face is not always known by the path.
    server.setErrorHandler(sendProblem);
    addHandlesRoutes(server, handles, requiresKeys);
    addHdlresolverRoutes(server, hdlresolver);
    addHrlsRoutes(server, hrls);
    done();
  };
}
