import type { FastifyInstance } from 'fastify';

/** Maximum number of parameters that are read: one for each of the 500 values of a record, and 100 more. */
export const MAX_PARAMETERS = 600;

/** Whether a query has more than `MAX_PARAMETERS` parameters. The rest would be ignored. */
export function hasTooManyParameters(target: string): boolean {
  return target.split(/[&;]/, MAX_PARAMETERS + 1).length > MAX_PARAMETERS;
}

/** The names and values of a query in order; a value that is not percent-encoded UTF-8 is null. */
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

/** Whether a flag is set, by the rule of Handle.Net: it has no value, or the value `yes` or `true`. */
export function isTrue(value: string | null): boolean {
  return value === '' || /^(?:yes|true)$/i.test(value ?? '');
}

const QUESTION = 0x3f;
const HASH = 0x23;
const SLASH = 0x2f;

const BEYOND_ASCII = /[^\x00-\x7f]/;

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the path or a parameter of a request target once, as UTF-8; "+" does not stand for a space. Node passes each unescaped byte
 * beyond ASCII as one character; these bytes are decoded as UTF-8 too.
 * @returns null for a "%" without two hexadecimal digits, or for bytes that are not UTF-8.
 */
export function decodeText(raw: string): string | null {
  if (!raw.includes('%') && !BEYOND_ASCII.test(raw)) return raw;
  try {
    const text = BEYOND_ASCII.test(raw) ? STRICT_UTF8.decode(Buffer.from(raw, 'latin1')) : raw;
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The text of percent-encoded UTF-8; null for any other text. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The path of a request target in origin or absolute form (RFC 9112 3.2), without query and fragment; null for other forms. */
export function pathOf(target: string): string | null {
  const url = target.charCodeAt(0) === SLASH ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  if (url.charCodeAt(0) !== SLASH) return null;
  for (let at = 1; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === QUESTION || code === HASH) return url.slice(0, at);
  }
  return url;
}

/** Parses forms (`application/x-www-form-urlencoded`) to `URLSearchParams` on the routes of a plugin. */
export function acceptForms(server: FastifyInstance): void {
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, parsed) => {
    parsed(null, new URLSearchParams(body.toString()));
  });
}
