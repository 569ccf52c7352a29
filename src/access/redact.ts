import type { Principal } from './principal.js';

/**
 * Removes the identifiers of hidden naming authorities from `describes`. The caller checks the visibility of the record
 * itself.
 */
export function redactFor<T extends { readonly describes: readonly string[] }>(principal: Principal, shown: T): T {
  if (!principal.hasRestrictedView) return shown;
  const describes = shown.describes.filter((native) => principal.canSee(native.slice(0, native.indexOf('/'))));
  return { ...shown, describes };
}
