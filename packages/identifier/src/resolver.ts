/**
 * The resolver of HTTP URIs (URI-30 to URI-36, R-13, R-14).
 *
 * scheme       = "http" / "https"
 * authority    = host [ ":" port ]
 * firstSegment = 1*pchar, or none      a path segment before a Handle (URI-32)
 *
 * A resolver is normalized like the URIs with which it is compared. There are no aliases: hld.handle.net is not hdl.handle.net.
 */
import { PCHAR, UNRESERVED } from './grammar/ascii.js';
import { readAuthority } from './grammar/uri-authority.js';
import { brand, type Branded } from './brand.js';
import { escapeRepairs, normalizeEscapes } from './grammar/percent-encoding.js';
import { checkTexts } from './options.js';
import { joinRepairs, repair, type Repairs } from './repairs.js';
import { describe, excerpt, fail, type Failure, ok, type Result, unwrap } from './syntax-error.js';
import { spanEscaped } from './grammar/uri-syntax.js';

/** A resolver in a configuration or a request. */
export interface ResolverConfig {
  readonly scheme: string;
  readonly authority: string;
  readonly firstSegment?: string | null | undefined;
}

/** A validated and normalized resolver. */
export interface Resolver extends Branded {
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  readonly firstSegment: string | null;
  /** The URI before the naming authority, with a final "/". */
  readonly prefix: string;
}

const SCHEME_LOWERCASED = /* @__PURE__ */ repair('SCHEME_LOWERCASED');
const checkedResolvers = new WeakSet<object>();

/**
 * Validates a resolver (URI-36). The offset of a fault refers to the member that the detail names.
 * @throws TypeError for a member that is not a string.
 */
export function parseResolver(config: ResolverConfig): Result<Resolver> {
  const first = config.firstSegment ?? null;
  checkTexts({ scheme: config.scheme, authority: config.authority, firstSegment: first ?? '' });
  const scheme = schemeOf(config.scheme);
  if (scheme === null) {
    return fail('WRONG_SCHEME', 0, 'URI-36', `scheme: expected "http" or "https", found "${excerpt(config.scheme)}"`);
  }
  const authority = readAuthority(config.authority, 0, config.authority.length, defaultPort(scheme));
  if (!authority.ok) return named('authority', authority);
  const inFirst = first === null ? null : firstSegmentFault(first);
  if (inFirst !== null) return named('firstSegment', inFirst);
  const firstSegment = first === null ? null : normalizeEscapes(first, 0, first.length);
  const prefix = `${scheme}://${authority.value}/${firstSegment === null ? '' : `${firstSegment}/`}`;
  const resolver = brand({ scheme, authority: authority.value, firstSegment, prefix });
  checkedResolvers.add(resolver);
  let repairs: Repairs = authority.repairs;
  if (scheme !== config.scheme) repairs = joinRepairs(repairs, SCHEME_LOWERCASED);
  if (first !== null) repairs = joinRepairs(repairs, escapeRepairs(first, 0, first.length, UNRESERVED));
  return ok(resolver, repairs);
}

/** Whether `parseResolver` returned this object, which needs no validation. */
export function isResolver(config: ResolverConfig): config is Resolver {
  return checkedResolvers.has(config);
}

/** The resolver of a configuration (URI-36). @throws IdentifierSyntaxError, and a TypeError for a member that is not a string. */
export const toResolver = (config: ResolverConfig): Resolver => unwrap(parseResolver(config));

/** The public proxy of the Handle System, the default (R-14). */
export const DEFAULT_RESOLVER: Resolver = /* @__PURE__ */ toResolver({ scheme: 'http', authority: 'hdl.handle.net' });

export function defaultPort(scheme: 'http' | 'https'): string {
  return scheme === 'http' ? '80' : '443';
}

function schemeOf(text: string): 'http' | 'https' | null {
  if (text.length > 5) return null;
  const scheme = text.toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : null;
}

function firstSegmentFault(text: string): Failure | null {
  const i = spanEscaped(text, 0, text.length, PCHAR);
  if (i < text.length) {
    return fail('INVALID_CHARACTER', i, 'URI-36', `expected one path segment, found ${describe(text, i)}`);
  }
  const normal = normalizeEscapes(text, 0, text.length);
  if (normal !== '' && normal !== '.' && normal !== '..') return null;
  return fail('SEGMENT_COUNT', 0, 'URI-36', `"${normal}" is a dot segment, which URI clients remove`);
}

function named(field: string, { fault }: Failure): Failure {
  return { ok: false, fault: { ...fault, detail: `${field}: ${fault.detail}` } };
}
