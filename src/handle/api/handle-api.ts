import { Injectable, Module } from '@nestjs/common';
import type { FastifyPluginCallback } from 'fastify';
import { ChangingModule } from '../../changing/changing.module.js';
import { acceptForms } from '../../http/request-target.js';
import { Metrics } from '../../metrics/metrics.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { HandleFault } from '../values/index.js';
import { HandleFinder } from './handles/handle-finder.js';
import { addHandlesRoutes } from './handles/handles.routes.js';
import { ListHandler } from './handles/list.handler.js';
import { ReadHandler } from './handles/read.handler.js';
import { WriteHandler } from './handles/write.handler.js';
import { HdlresolverHandler, addHdlresolverRoutes } from './hdlresolver/hdlresolver.handler.js';
import { HrlsHandler, addHrlsRoutes } from './hrls/hrls.handler.js';
import { sendProblem } from './send-response.js';

@Injectable()
export class HandleApi {
  constructor(
    readonly reads: ReadHandler,
    readonly lists: ListHandler,
    readonly writes: WriteHandler,
    readonly hdlresolver: HdlresolverHandler,
    readonly hrls: HrlsHandler,
    readonly metrics: Metrics,
  ) {}
}

@Module({
  imports: [StorageReadModule, ChangingModule],
  providers: [HandleFinder, ReadHandler, ListHandler, WriteHandler, HdlresolverHandler, HrlsHandler, HandleApi],
  exports: [HandleApi],
})
export class HandleApiModule {}

/** The routes for clients of Handle servers. They bypass Nest's guards and pipes. Hooks admit requests, and the handlers parse them. */
export function handleApiRoutes(handlers: HandleApi, requiresKeys: boolean): FastifyPluginCallback {
  return (server, _options, done) => {
    acceptForms(server);
    server.addHook('onRoute', (route) => {
      route.config = { ...route.config, acceptsBasic: true };
    });
    // The router decodes paths, so a request can reach these routes even if its undecoded path belongs to another interface.
    server.setErrorHandler((error, request, reply) => {
      if (error instanceof HandleFault) handlers.metrics.handleApi(error.outcome);
      sendProblem(error, request, reply);
    });
    addHandlesRoutes(server, handlers, requiresKeys);
    addHdlresolverRoutes(server, handlers.hdlresolver);
    addHrlsRoutes(server, handlers.hrls);
    done();
  };
}
