import type { Principal } from './principal.js';

/** Who sends a request, and its idempotency key. */
export interface RequestContext {
  readonly principal: Principal;
  readonly idempotencyKey: string | undefined;
}
