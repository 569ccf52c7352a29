/**
 * The brand of values that went through their parser: it keeps other objects out at compile time.
 */
declare const checked: unique symbol;

/** A `T` that went through its parser. */
export type Branded<T> = T & { readonly [checked]: true };

/** The only place where the brand is given. */
export function brand<T extends object>(value: T): Branded<T> {
  return value as Branded<T>;
}
