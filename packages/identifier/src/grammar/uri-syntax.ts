/**
 * The components of a URI (RFC 3986 3), located in one pass without decoding.
 *
 * URI    = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
 * scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
 *
 * Order of the checks: scheme, characters, escapes, fragment, query. A URI contains visible ASCII without " < > \ ^ `
 * { | }; "[" and "]" are permitted only in an IP literal.
 */
import { classesOf, hasAt, HEX_DIGIT, PCHAR, QUERY, span, UNRESERVED, URI_CHARACTER } from './ascii.js';
import { escapeRepairs, normalizeEscapes } from './percent-encoding.js';
import { NO_REPAIRS, repair, type Repairs } from '../repairs.js';
import { describe, excerpt, fail, type Failure } from '../syntax-error.js';

const SCHEME_LOWERCASED = /* @__PURE__ */ repair('SCHEME_LOWERCASED');

export interface UriScan {
  readonly ok: true;
  /** The end of the path: the index of the first "?" or "#", or the end of the text. */
  readonly pathEnd: number;
  /** The index of the "?" before the query, or -1. */
  readonly query: number;
  /** The index of the "#" before the fragment, or -1. */
  readonly fragment: number;
  /** The index of the first "/" of the scanned text before query and fragment, or -1. */
  readonly slash: number;
  /** The index of the second such "/", or -1. */
  readonly secondSlash: number;
  readonly escaped: boolean;
  /** The index of the first "[" or "]" before query and fragment, or -1; outside an IP literal it is invalid. */
  readonly bracket: number;
}

const SCHEME = /^[a-z][a-z0-9+.-]*(?=:)/i;

/** The length of the scheme at the start of a text without its ":"; 0 without a scheme. */
export function schemeLength(text: string): number {
  return SCHEME.test(text) ? text.indexOf(':') : 0;
}

/** The fault of a text that should start with a scheme, given in lower case; null when it does (URI-05, URI-06). */
export function schemeFault(input: string, scheme: string, rule: string): Failure | null {
  if (input.charCodeAt(scheme.length) === 0x3a && hasAt(input, scheme, 0)) return null;
  const length = schemeLength(input);
  if (length === 0)
    return fail('MISSING_SCHEME', 0, rule, `expected "${scheme}:" at the start, found ${describe(input, 0)}`);
  return fail('WRONG_SCHEME', 0, rule, `the scheme is "${excerpt(input.slice(0, length))}", expected "${scheme}"`);
}

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
  const fault = intact ? null : (tripletFault(input, start) ?? tailFault(input, query, fragment, 'URI-20', 'URI-20'));
  return fault ?? { ok: true, pathEnd, query, fragment, slash, secondSlash, escaped, bracket };
}

/** The normal form of the query, without its delimiter; null when absent. @param scan null for a URI without query and fragment. */
export function readQuery(input: string, scan: UriScan | null): string | null {
  if (scan === null || scan.query < 0) return null;
  return component(input, scan.query + 1, scan.fragment < 0 ? input.length : scan.fragment, scan);
}

export function readFragment(input: string, scan: UriScan | null): string | null {
  return scan === null || scan.fragment < 0 ? null : component(input, scan.fragment + 1, input.length, scan);
}

/** The repairs that `readQuery` and `readFragment` make. */
export function tailRepairs(input: string, scan: UriScan | null): Repairs {
  return scan?.escaped ? escapeRepairs(input, scan.pathEnd, input.length, UNRESERVED) : NO_REPAIRS;
}

/** `?query#fragment`; a null component is omitted. */
export function formatTail(query: string | null, fragment: string | null): string {
  if (query === null) return fragment === null ? '' : `#${fragment}`;
  return fragment === null ? `?${query}` : `?${query}#${fragment}`;
}

/** The fault of the fragment or of the query, which start at "#" and "?" or are absent (-1); null when both are valid. */
export function tailFault(
  input: string,
  query: number,
  fragment: number,
  queryRule: string,
  fragmentRule: string,
): Failure | null {
  const queryEnd = fragment < 0 ? input.length : fragment;
  return (
    componentFault(input, fragment, input.length, 'FRAGMENT', fragmentRule) ??
    componentFault(input, query, queryEnd, 'QUERY', queryRule)
  );
}

function componentFault(
  input: string,
  start: number,
  end: number,
  what: 'QUERY' | 'FRAGMENT',
  rule: string,
): Failure | null {
  const at = start < 0 ? end : spanEscaped(input, start + 1, end, QUERY);
  if (at >= end) return null;
  return fail(`INVALID_${what}`, at, rule, `a ${what.toLowerCase()} cannot contain ${describe(input, at)} here`);
}

/** Like `span`, but escapes are skipped too. */
export function spanEscaped(input: string, start: number, end: number, classes: number): number {
  let i = span(input, start, end, classes);
  while (i + 2 < end && input.charCodeAt(i) === 0x25 && isTriplet(input, i)) i = span(input, i + 3, end, classes);
  return i;
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
