/**
 * The brand of the frozen values that parsers return. The private member exists only for the compiler. A copy has no private
 * members, so `{ ...id, guid }` is not a `CordraId`; `toCordraId({ ...id, guid })` returns one.
 */
export declare abstract class Branded {
  private readonly brand: true;
}

/** Freezes a value and adds the brand; no other function adds it. */
export function brand<T extends object>(value: T): T & Branded {
  return Object.freeze(value) as T & Branded;
}
