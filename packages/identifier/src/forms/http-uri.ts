/**
 * HTTP URIs of Handles (URI-27 to URI-36).
 *
 * http-uri = scheme "://" authority "/" [ first "/" ] naming-authority "/" local-name [ "?" query ] [ "#" fragment ]
 *
 * scheme, authority, first   those of the resolver, compared after RFC 3986 normalization (URI-30, URI-32, R-13)
 * naming-authority           1*pchar, one segment (URI-33, URI-35)
 * local-name                 1*pchar, one segment, "/" escaped as %2F (URI-34, R-08); not "." or ".."
 *
 * The resolver decides whether two or three segments are expected (URI-31). A local name of "." or ".." is rejected even
 * when it is escaped: clients remove such segments, so that the resolver receives a different URI.
 */
import { PCHAR, UNRESERVED } from '../grammar/ascii.js';
import { readAuthority, userinfoEnd } from '../grammar/uri-authority.js';
import { formatCordraId, readPlainCordraId } from './cordra-id.js';
import { brand } from '../brand.js';
import type { CordraId, Handle, HttpUri } from '../types.js';
import { encode, escapeRepairs, normalizeEscapes } from '../grammar/percent-encoding.js';
import type { Charset } from '../grammar/handle-characters.js';
import { checkOptions } from '../options.js';
import { joinRepairs, NO_REPAIRS, repair, type Repairs } from '../repairs.js';
import { DEFAULT_RESOLVER, defaultPort, type Resolver } from '../resolver.js';
import { type Profile, readSegments } from './segments.js';
import { excerpt, fail, type Failure, ok, type Result, unwrap } from '../syntax-error.js';
import {
  formatTail,
  readFragment,
  readQuery,
  scanUri,
  schemeFault,
  schemeRepairs,
  type UriScan,
} from '../grammar/uri-syntax.js';

const SCHEME_REMOVED = /* @__PURE__ */ repair('SCHEME_REMOVED');

/** What may precede a Handle in a URL that the public proxies resolve, or in that of their API. */
const HANDLE_START = /(?:(?:hdl|doi)(?::|%3a)|(?:info(?::|%3a)(?:hdl|doi)|api\/handles)\/)(?:\/|%20)*/iy;

export interface HttpUriOptions {
  /** Default: `cordra` for a CORDRA identifier, otherwise `generic`. */
  readonly profile?: Profile | undefined;
  /** Default: `DEFAULT_RESOLVER`. */
  readonly resolver?: Resolver | undefined;
  readonly charset?: Charset | undefined;
  /**
   * Whether a URL is read as by the public proxies: a raw "/" in the local name is data, and `hdl:`, `doi:`, `info:hdl/` or
   * `api/handles/` before the Handle is skipped. Default false.
   */
  readonly suffixSlashes?: boolean | undefined;
}

/** Parses a URI of the given resolver (URI-27 to URI-36). @throws TypeError for an unknown option. */
export function parseHttpUri(input: string, options: HttpUriOptions = {}): Result<HttpUri> {
  checkOptions(options);
  const resolver = options.resolver ?? DEFAULT_RESOLVER;
  const before = readPrefix(input, resolver);
  if (!before.ok) return before;
  HANDLE_START.lastIndex = before.value;
  const isMarked = options.suffixSlashes === true && HANDLE_START.test(input);
  const start = isMarked ? HANDLE_START.lastIndex : before.value;
  const repairs = isMarked ? joinRepairs(before.repairs, SCHEME_REMOVED) : before.repairs;
  const plain = options.profile === 'generic' ? null : readPlainCordraId(input, start);
  if (plain !== null) return uriOf(input, plain.value, resolver, null, joinRepairs(repairs, plain.repairs));
  const scan = scanUri(input, start);
  if (!scan.ok) return scan;
  const named = readSegments(input, start, scan, {
    profile: options.profile,
    charset: options.charset ?? 'ucs2',
    authorityRaw: PCHAR,
    suffixSlashes: options.suffixSlashes,
  });
  if (!named.ok) {
    const { code, offset } = named.fault;
    return code === 'SEGMENT_COUNT' ? countFault(offset, resolver.firstSegment) : named;
  }
  const name = named.value;
  if (name.type === 'handle' && isDotSegment(name.localName)) {
    const detail = `HTTP clients remove the path segment "${name.localName}", so this Handle has no HTTP form`;
    return fail('SEGMENT_COUNT', scan.slash + 1, 'R-34', detail);
  }
  return uriOf(input, name, resolver, scan, joinRepairs(repairs, named.repairs));
}

/** The canonical text of an HTTP URI. */
export function formatHttpUri({ name, resolver, query, fragment }: HttpUri): string {
  if (name.type === 'cordra') return resolver.prefix + formatCordraId(name);
  const segments = `${encode(name.namingAuthority, PCHAR)}/${encode(name.localName, PCHAR)}`;
  return resolver.prefix + segments + formatTail(query, fragment);
}

/** Whether a value is an HTTP URI of the resolver; false for a value that is not a string. @throws TypeError for an unknown option. */
export const isHttpUri = (input: unknown, options?: HttpUriOptions): boolean =>
  typeof input === 'string' && parseHttpUri(input, options).ok;
/** The value of an HTTP URI of the resolver. @throws IdentifierSyntaxError, and a TypeError for an unknown option. */
export const toHttpUri = (input: string, options?: HttpUriOptions): HttpUri => unwrap(parseHttpUri(input, options));

export function isDotSegment(text: string): boolean {
  return text === '.' || text === '..';
}

/** @param scan null for a URI without query and fragment. */
function uriOf(
  input: string,
  name: CordraId | Handle,
  resolver: Resolver,
  scan: UriScan | null,
  repairs: Repairs,
): Result<HttpUri> {
  const [query, fragment] = [readQuery(input, scan), readFragment(input, scan)];
  return ok(brand({ type: 'http-uri', name, resolver, query, fragment } as const), repairs);
}

/** Parses the text before the naming authority; the value is the index after it. */
function readPrefix(input: string, resolver: Resolver): Result<number> {
  if (input.startsWith(resolver.prefix)) return ok(resolver.prefix.length, NO_REPAIRS);
  const { scheme } = resolver;
  const wrong = schemeFault(input, scheme, 'URI-29');
  if (wrong !== null) return wrong;
  // Faults of characters and escapes anywhere precede a fault of the authority.
  const scan = scanUri(input, scheme.length + 1);
  if (!scan.ok) return scan;
  const start = scheme.length + 3;
  if (!input.startsWith('//', start - 2)) {
    return fail('INVALID_AUTHORITY', start - 2, 'URI-29', 'expected "//" and the host of a Handle resolver');
  }
  const pathAt = input.indexOf('/', start);
  const end = pathAt < 0 || pathAt > scan.pathEnd ? scan.pathEnd : pathAt;
  if (userinfoEnd(input, start, end) >= 0) return mismatch(input, start, end, resolver);
  const authority = readAuthority(input, start, end, defaultPort(scheme));
  if (!authority.ok) return authority;
  if (authority.value !== resolver.authority) return mismatch(input, start, end, resolver);
  const first = readFirstSegment(input, end, scan.pathEnd, resolver.firstSegment);
  return first.ok
    ? ok(first.value, joinRepairs(joinRepairs(first.repairs, authority.repairs), schemeRepairs(input, scheme)))
    : first;
}

/** Parses the "/" after the authority, and the first segment if the resolver has one. */
function readFirstSegment(input: string, at: number, pathEnd: number, expected: string | null): Result<number> {
  const start = at + 1;
  if (at >= pathEnd) return countFault(at, expected);
  if (expected === null) return ok(start, NO_REPAIRS);
  const end = input.indexOf('/', start);
  const last = end < 0 ? -1 : input.indexOf('/', end + 1);
  if (end < 0 || end >= pathEnd || last < 0 || last >= pathEnd) return countFault(pathEnd, expected);
  const found = normalizeEscapes(input, start, end);
  if (found === expected) return ok(end + 1, escapeRepairs(input, start, end, UNRESERVED));
  const third = input.indexOf('/', last + 1);
  if (third >= 0 && third < pathEnd) return countFault(third, expected);
  const detail = `the first segment is "${excerpt(found)}", expected "${expected}"`;
  return fail('FIRST_SEGMENT_MISMATCH', start, 'URI-32', detail);
}

function mismatch(input: string, start: number, end: number, resolver: Resolver): Failure {
  const found = excerpt(input.slice(start, end));
  return fail('AUTHORITY_MISMATCH', start, 'URI-30', `the resolver is ${resolver.authority}, found "${found}"`);
}

function countFault(at: number, firstSegment: string | null): Failure {
  const shape = firstSegment === null ? '' : `"${firstSegment}", `;
  return fail('SEGMENT_COUNT', at, 'URI-31', `expected the segments ${shape}naming authority and local name`);
}
