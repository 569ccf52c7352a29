/**
 * URLs of Handle resolvers as users paste them: the resolvers in the options and the public proxies, with http or
 * https, and with raw "/" in the suffix. A URL of any other host is rejected, because its path can have any
 * meaning (URI-30).
 *
 * As in every other form, %2F does not separate the naming authority from the local name.
 */
import { brand } from './brand.js';
import { hasAt } from './grammar/ascii.js';
import { readAuthority, userinfoEnd } from './grammar/uri-authority.js';
import { parseHttpUri } from './forms/http-uri.js';
import type { HttpUri } from './types.js';
import type { Charset } from './grammar/handle-characters.js';
import { parseWithRawCharacters } from './grammar/raw-characters.js';
import type { Profile } from './forms/segments.js';
import { defaultPort, type Resolver, toResolver } from './resolver.js';
import { excerpt, fail, type Result } from './syntax-error.js';

/** The public proxies of the Handle System and of DOI. */
export const WELL_KNOWN_RESOLVERS: readonly string[] = /* @__PURE__ */ Object.freeze([
  'hdl.handle.net',
  'doi.org',
  'dx.doi.org',
  'www.doi.org',
]);

/** Digits and dots alone, as in a naming authority of CORDRA; also the empty text. */
export const DIGITS_AND_DOTS = /^[0-9.]*$/;

const PROXIES: readonly Resolver[] = /* @__PURE__ */ WELL_KNOWN_RESOLVERS.map((authority) =>
  toResolver({ scheme: 'https', authority }),
);

export interface KnownResolverOptions {
  readonly resolver?: Resolver | undefined;
  /** Other known resolvers, such as the resolvers of naming authorities; called only for a text that may be a URL. */
  readonly resolvers?: (() => readonly Resolver[]) | undefined;
  readonly charset?: Charset | undefined;
}

/** Parses a URL with the given scheme and the host of any known resolver. @param profile see `HttpUriOptions`. */
export function readResolverUrl(
  text: string,
  scheme: 'http' | 'https',
  options: KnownResolverOptions,
  profile?: Profile,
): Result<HttpUri> {
  const start = scheme.length + 3;
  if (!text.startsWith('//', start - 2)) {
    return fail('INVALID_AUTHORITY', start - 2, 'URI-29', 'expected "//" and the host of a Handle resolver');
  }
  const end = start + text.slice(start).search(/[/?#]|$/);
  const user = userinfoEnd(text, start, end);
  if (user >= 0) return fail('INVALID_AUTHORITY', start, 'URI-36', 'the URL of a resolver must not contain a user');
  const authority = readAuthority(text, start, end, defaultPort(scheme));
  if (!authority.ok) return authority;
  const candidates = resolversAt(authority.value, scheme, options);
  let rejected: Result<HttpUri> | null = null;
  for (const resolver of candidates) {
    const read = parseWithRawCharacters(text, end, (url) =>
      parseHttpUri(url, { resolver, charset: options.charset, profile, suffixSlashes: true }),
    );
    if (read.ok) return read;
    rejected ??= read;
  }
  const found = excerpt(text.slice(start, end));
  return rejected ?? fail('AUTHORITY_MISMATCH', start, 'URI-30', `"${found}" is not a known Handle resolver`);
}

/**
 * The scheme to prepend to a URL that starts with the host of a known resolver; null for any other text. Digits and
 * dots alone are a naming authority, even if a resolver has such a host.
 */
export function schemeForHost(text: string, options: KnownResolverOptions): 'http' | 'https' | null {
  const slash = text.indexOf('/');
  if (slash < 0 || slash > 255 || DIGITS_AND_DOTS.test(text.slice(0, slash))) return null;
  return knownTo(options).find(({ authority }) => hasAt(text, `${authority}/`, 0))?.scheme ?? null;
}

function knownTo({ resolver, resolvers }: KnownResolverOptions): readonly Resolver[] {
  return [resolver ?? [], resolvers?.() ?? [], PROXIES].flat();
}

function withScheme(scheme: 'http' | 'https', resolver: Resolver): Resolver {
  if (resolver.scheme === scheme) return resolver;
  return brand({ ...resolver, scheme, prefix: scheme + resolver.prefix.slice(resolver.scheme.length) });
}

/** The known resolvers at a host. Those with a first segment come first: other resolvers would parse it as a naming authority. */
function resolversAt(authority: string, scheme: 'http' | 'https', options: KnownResolverOptions): Resolver[] {
  return knownTo(options)
    .filter((each) => each.authority === authority)
    .map((each) => withScheme(scheme, each))
    .sort((a, b) => Number(a.firstSegment === null) - Number(b.firstSegment === null));
}
