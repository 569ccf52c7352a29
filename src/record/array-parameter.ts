import { type Digest, bytea } from './digest.js';

/**
 * A column of many rows as one parameter, for `unnest`: the text of an array (PostgreSQL 8.15.2). Written here because `pg`
 * looks at each element for what it might be, and copies each text twice.
 * @returns null when there is nothing but nulls: beside other arrays, `unnest` gives nulls for it.
 */
export function arrayOf<T extends string | number>(
  values: readonly (T | null)[],
  element: (value: T) => string = written,
): string | null {
  let text = '';
  let hasValue = false;
  for (const value of values) {
    text += text === '' ? '{' : ',';
    if (value === null) text += 'NULL';
    else {
      text += element(value);
      hasValue = true;
    }
  }
  return hasValue ? `${text}}` : null;
}

/** The same for digests, which PostgreSQL keeps as `bytea`. */
export function arrayOfDigests(values: readonly (Digest | null)[]): string | null {
  return arrayOf(values, (digest) => `"\\${bytea(digest)}"`);
}

function written(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const isPlain = !value.includes('"') && !value.includes('\\');
  return isPlain ? `"${value}"` : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
