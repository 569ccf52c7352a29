/**
 * The brand of what a parser returned, frozen. The private member exists only for the compiler, and a copy has no private
 * members: `{ ...id, guid }` is not a `CordraId`, but `toCordraId({ ...id, guid })` is one.
 */
export declare abstract class Branded {
  private readonly brand: true;
}

/** The only function that adds the brand, and freezes the value. */
export function brand<T extends object>(value: T): T & Branded {
  return Object.freeze(value) as T & Branded;
}
