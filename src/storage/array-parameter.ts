import type { Digest } from '../registry/digest.js';

type Elements = readonly (string | number | null)[];

/**
 * A column of many rows as one `unnest` parameter in array syntax (PostgreSQL 8.15.2), because `pg` serializes arrays
 * more slowly.
 * @returns null for a column of nulls.
 */
export function arrayOf(values: Elements): string | null {
  const isPlain = values.every((value) => typeof value !== 'string' || !/["\\]/.test(value));
  return quoted(isPlain ? values : values.map(escaped), '"');
}

/** The same for digests, which PostgreSQL keeps as `bytea`. */
export function arrayOfDigests(digests: readonly (Digest | null)[]): string | null {
  return quoted(digests, String.raw`"\\x`);
}

/** The same for texts without a line feed, such as JSON, as one text for `string_to_array`: nothing in it needs an escape. */
export function linesOf(texts: readonly string[]): string {
  return texts.join('\n');
}

/** Joined as a whole where it can be, which leaves no garbage for each element. */
function quoted(values: Elements, opening: string): string | null {
  if (values.every((value) => value === null)) return null;
  if (!values.includes(null)) return `{${opening}${values.join(`",${opening}`)}"}`;
  return `{${values.map((value) => (value === null ? 'NULL' : `${opening}${value}"`)).join(',')}}`;
}

function escaped<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value;
}
