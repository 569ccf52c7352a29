import { type HandlesHandlers, addHandlesRoutes } from './handles/handles.routes.js';
import { type HdlresolverHandler, addHdlresolverRoutes } from './hdlresolver/hdlresolver.handler.js';
import { type HrlsHandler, addHrlsRoutes } from './hrls/hrls.handler.js';
import type { FastifyPluginCallback } from 'fastify';
import { acceptForms } from '../../http/request-target.js';
import { sendProblem } from './send-response.js';

/** The handlers of this interface. It is a class so that it can be an injection token. */
export class HandleApi {
  /** @param requiresKeys whether writing requires a key. */
  constructor(
    readonly handles: HandlesHandlers,
    readonly hdlresolver: HdlresolverHandler,
    readonly hrls: HrlsHandler,
    readonly requiresKeys: boolean,
  ) {}
}

/** The routes of this interface. They bypass Nest's guards and pipes: hooks admit requests, and the handlers parse them. */
export function handleApiRoutes({ handles, hdlresolver, hrls, requiresKeys }: HandleApi): FastifyPluginCallback {
  return (server, _options, done) => {
    acceptForms(server);
    server.addHook('onRoute', (route) => {
      route.config = { ...route.config, acceptsBasic: true };
    });
    // The router decodes paths, so a request can reach these routes although its undecoded path belongs to another interface.
    server.setErrorHandler(sendProblem);
    addHandlesRoutes(server, handles, requiresKeys);
    addHdlresolverRoutes(server, hdlresolver);
    addHrlsRoutes(server, hrls);
    done();
  };
}
