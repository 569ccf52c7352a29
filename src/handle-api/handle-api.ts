import type { DirectRoute } from '../http/server/direct-answers.js';
import type { HandlesHandlers } from './handles/handles.routes.js';
import type { HdlresolverHandler } from './hdlresolver/hdlresolver.handler.js';
import type { HrlsHandler } from './hrls/hrls.handler.js';

/** The handlers and the direct answers of this face; a class, so that it is a token of injection. */
export class HandleApi {
  /** @param requiresKeys whether writing requires a key. */
  constructor(
    readonly handles: HandlesHandlers,
    readonly hdlresolver: HdlresolverHandler,
    readonly hrls: HrlsHandler,
    readonly requiresKeys: boolean,
    readonly direct: DirectRoute,
  ) {}
}
