import { decodeText } from './decode-text.js';

/** Parameters that are read; a request needs a few, and at most one for each of the 500 values of a record. */
export const MAX_PARAMETERS = 600;

/** Whether a query has more parameters than are read. */
export function hasTooManyParameters(target: string): boolean {
  return target.split(/[&;]/, MAX_PARAMETERS + 1).length > MAX_PARAMETERS;
}

/** The names and values of a query, in order; null for a value that is not percent-encoded UTF-8. */
export function parametersIn(target: string): (readonly [string, string | null])[] {
  const start = target.indexOf('?');
  if (start < 0) return [];
  const end = target.indexOf('#', start);
  const pairs = target.slice(start + 1, end < 0 ? undefined : end).split(/[&;]/, MAX_PARAMETERS);
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals)) ?? '';
    return [name, equals < 0 ? '' : decodeText(pair.slice(equals + 1))];
  });
}

/** The same as at Handle.Net: present without a value, `yes` or `true`. */
export function isTrue(value: string | null): boolean {
  return value === '' || /^(?:yes|true)$/i.test(value ?? '');
}
