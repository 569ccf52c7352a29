import type { Principal } from './principal.js';

/** `principal.redact(shown)`. */
export function redactFor<T extends { readonly describes: readonly string[] }>(principal: Principal, shown: T): T {
  return principal.redact(shown);
}
