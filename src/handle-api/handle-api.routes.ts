import type { FastifyPluginCallback } from 'fastify';
import { acceptForms } from '../http/body/form-body.js';
import type { HandleApi } from './handle-api.js';
import { addHandlesRoutes } from './handles/handles.routes.js';

/** The routes of this face, without Nest's guards and pipes: hooks admit its requests, and the handlers read them. */
export function handleApiRoutes({ handles, requiresKeys }: HandleApi): FastifyPluginCallback {
  return (server, _options, done) => {
    acceptForms(server);
    server.addHook('onRoute', (route) => {
      route.config = { ...route.config, acceptsBasic: true };
    });
    addHandlesRoutes(server, handles, requiresKeys);
    done();
  };
}
