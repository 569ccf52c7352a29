/** JSON that no JavaScript value represents, such as 1e309 or an object with a duplicate key. */
export class RawJson {
  #text;

  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }
}

/** Serializes a value as JSON, with each `RawJson` unchanged. */
export function writeJson(value) {
  if (value instanceof RawJson) return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${writeJson(member)}`)
    .join(',')}}`;
}

/** All paths in a value, as lists of keys; the value itself is the empty list. */
export function placesIn(value, at = []) {
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return [at];
  return [at, ...Object.keys(value).flatMap((key) => placesIn(value[key], [...at, key]))];
}

/** A copy of a value with another value at one path. */
export function replaceAt(value, [key, ...rest], change) {
  if (key === undefined) return change(value);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = replaceAt(value[key], rest, change);
  return copy;
}
