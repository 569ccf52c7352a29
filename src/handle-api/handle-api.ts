import type { DirectRoute } from '../http/server/direct-answers.js';
import type { HandlesHandlers } from './handles/handles.routes.js';

/** The handlers and the direct answers of this face; a class, so that it is a token of injection. */
export class HandleApi {
  /** @param requiresKeys whether writing requires a key. */
  constructor(
    readonly handles: HandlesHandlers,
    readonly requiresKeys: boolean,
    readonly direct: DirectRoute,
  ) {}
}
