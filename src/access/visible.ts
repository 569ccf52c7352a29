import type { Caller } from './caller.js';

/**
 * A record or its representation as a caller may see it: which identifiers of hidden naming authorities it describes stays
 * hidden too. Whether the record itself may be seen is asked before, by `Caller.sees`.
 */
export function visibleTo<T extends { readonly describes: readonly string[] }>(caller: Caller, shown: T): T {
  if (!caller.seesPart) return shown;
  const describes = shown.describes.filter((native) => caller.sees(native.slice(0, native.indexOf('/'))));
  return { ...shown, describes };
}
