/**
 * The components of a URI (RFC 3986 3), located in one pass without decoding.
 *
 * URI    = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
 * scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
 *
 * Order of the checks: scheme, characters, escapes, fragment, query. A URI contains visible ASCII without " < > \ ^ `
 * { | }; "[" and "]" are permitted only in an IP literal.
 */
import { classesOf, hasAt, HEX_DIGIT, PCHAR, QUERY, UNRESERVED, URI_CHARACTER } from './ascii.js';
import { escapeRepairs, normalizeEscapes } from './percent-encoding.js';
import { NO_REPAIRS, repair, type Repairs } from '../repairs.js';
import { describe, excerpt, fail, type Failure } from '../syntax-error.js';

const SCHEME_LOWERCASED = /* @__PURE__ */ repair('SCHEME_LOWERCASED');

/** The positions of the components of a URI. */
export interface UriScan {
  readonly ok: true;
  /** The end of the path: the index of the first "?" or "#", or the end of the text. */
  readonly pathEnd: number;
  /** The index of the "?" before the query, or -1. */
  readonly query: number;
  /** The index of the "#" before the fragment, or -1. */
  readonly fragment: number;
  /** The first and second "/" of the scanned text before the query, or -1. */
  readonly slash: number;
  readonly secondSlash: number;
  /** Whether the text has an escape. */
  readonly escaped: boolean;
  /** The index of the first "[" or "]" before the query, or -1; outside an IP literal it is invalid. */
  readonly bracket: number;
}

/** The length of the scheme at the start of a text without its ":"; 0 without a scheme. */
export function schemeLength(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3a) return i;
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    const other = (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;
    if (!letter && (i === 0 || !other)) return 0;
  }
  return 0;
}

/** The fault of a text that should start with a scheme, given in lower case; null when it does (URI-05, URI-06). */
export function schemeFault(input: string, scheme: string, rule: string): Failure | null {
  if (input.charCodeAt(scheme.length) === 0x3a && hasAt(input, scheme, 0)) return null;
  const length = schemeLength(input);
  if (length === 0)
    return fail('MISSING_SCHEME', 0, rule, `expected "${scheme}:" at the start, found ${describe(input, 0)}`);
  return fail('WRONG_SCHEME', 0, rule, `the scheme is "${excerpt(input.slice(0, length))}", expected "${scheme}"`);
}

/** The repairs of a valid scheme. */
export function schemeRepairs(input: string, scheme: string): Repairs {
  return input.startsWith(scheme) ? NO_REPAIRS : SCHEME_LOWERCASED;
}

/** Locates the components of a URI from `start`, the index after its scheme or after "//". */
export function scanUri(input: string, start: number): UriScan | Failure {
  let query = -1;
  let fragment = -1;
  let slash = -1;
  let secondSlash = -1;
  let bracket = -1;
  let escaped = false;
  let intact = true;
  for (let i = start; i < input.length; i++) {
    const code = input.charCodeAt(i);
    const classes = classesOf(code);
    if ((classes & PCHAR) !== 0) continue;
    if (code === 0x2f) {
      if (query >= 0 || fragment >= 0) continue;
      if (slash < 0) slash = i;
      else if (secondSlash < 0) secondSlash = i;
    } else if (code === 0x25) {
      escaped = true;
      if (intact && isTriplet(input, i)) i += 2;
      else intact = false;
    } else if (code === 0x3f) {
      if (query < 0 && fragment < 0) query = i;
    } else if (code === 0x23 && fragment < 0) {
      fragment = i;
    } else if ((classes & URI_CHARACTER) === 0) {
      return fail(
        'INVALID_CHARACTER',
        i,
        'URI-24',
        `found ${describe(input, i)}, which a URI can contain only as an escape`,
      );
    } else if (query >= 0 || fragment >= 0) {
      intact = false;
    } else if (bracket < 0) {
      bracket = i;
    }
  }
  const pathEnd = query >= 0 ? query : fragment >= 0 ? fragment : input.length;
  if (!intact) return tripletFault(input, start) ?? tailFault(input, pathEnd, query, fragment);
  return { ok: true, pathEnd, query, fragment, slash, secondSlash, escaped, bracket };
}

/** The normal form of a query or fragment, without its delimiter; null when absent. */
export function readQuery(input: string, scan: UriScan): string | null {
  return scan.query < 0
    ? null
    : component(input, scan.query + 1, scan.fragment < 0 ? input.length : scan.fragment, scan);
}

export function readFragment(input: string, scan: UriScan): string | null {
  return scan.fragment < 0 ? null : component(input, scan.fragment + 1, input.length, scan);
}

/** The repairs that `readQuery` and `readFragment` make. */
export function tailRepairs(input: string, scan: UriScan): Repairs {
  return scan.escaped ? escapeRepairs(input, scan.pathEnd, input.length, UNRESERVED) : NO_REPAIRS;
}

/** `?query#fragment`; a null component is omitted. */
export function formatTail(query: string | null, fragment: string | null): string {
  if (query === null) return fragment === null ? '' : `#${fragment}`;
  return fragment === null ? `?${query}` : `?${query}#${fragment}`;
}

/**
 * The index of the first character from `start` to `end` that is not permitted in a query or fragment; -1 if there is
 * none.
 */
export function findNotQuery(input: string, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    const code = input.charCodeAt(i);
    if ((classesOf(code) & QUERY) !== 0) continue;
    if (code !== 0x25 || i + 2 >= end || !isTriplet(input, i)) return i;
    i += 2;
  }
  return -1;
}

function component(input: string, start: number, end: number, scan: UriScan): string {
  return scan.escaped ? normalizeEscapes(input, start, end) : input.slice(start, end);
}

export function isTriplet(input: string, percent: number): boolean {
  const first = classesOf(input.charCodeAt(percent + 1));
  return (first & classesOf(input.charCodeAt(percent + 2)) & HEX_DIGIT) !== 0;
}

function tripletFault(input: string, start: number): Failure | null {
  let at = input.indexOf('%', start);
  while (at >= 0 && isTriplet(input, at)) at = input.indexOf('%', at + 3);
  if (at < 0) return null;
  const found = excerpt(input.slice(at, at + 3));
  return fail('INVALID_PERCENT_ENCODING', at, 'HUS-14', `expected two hexadecimal digits after "%", found "${found}"`);
}

/** The fault of a "#", "[" or "]" in a query or fragment. */
function tailFault(input: string, pathEnd: number, query: number, fragment: number): Failure {
  const inFragment = fragment < 0 ? -1 : findNotQuery(input, fragment + 1, input.length);
  if (inFragment >= 0) {
    return fail('INVALID_FRAGMENT', inFragment, 'URI-20', `a fragment cannot contain ${describe(input, inFragment)}`);
  }
  const inQuery = findNotQuery(input, (query < 0 ? pathEnd : query) + 1, fragment < 0 ? input.length : fragment);
  return fail('INVALID_QUERY', inQuery, 'URI-20', `a query cannot contain ${describe(input, inQuery)}`);
}
