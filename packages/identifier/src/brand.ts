/** Marks values that a parser returned, so that the compiler rejects other objects. */
declare const checked: unique symbol;

/** A `T` that a parser returned. */
export type Branded<T> = T & { readonly [checked]: true };

/** The only function that adds the brand, and freezes the value. */
export function brand<T extends object>(value: T): Branded<T> {
  return Object.freeze(value) as Branded<T>;
}
