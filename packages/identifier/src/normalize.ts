/**
 * Everything that the syntax says about one text, for display.
 *
 * With a kind the text is parsed strictly; without one it is recognized.
 */
import { sameName } from './comparison-key.js';
import type { Charset } from './grammar/handle-characters.js';
import { type Kind, readAs, type Reading, type ReadingOptions, type Recognition } from './parse-as.js';
import { type KnownNamingAuthority, recognize } from './recognize.js';
import { checkOptions } from './options.js';
import { NO_REPAIRS, type Repairs } from './repairs.js';
import { DEFAULT_RESOLVER, isResolver, parseResolver, type Resolver, type ResolverConfig } from './resolver.js';
import type { Profile } from './forms/segments.js';
import { ok, type Result, type SyntaxFault } from './syntax-error.js';
import { type Omitted, omittedOf } from './components.js';
import { type Unavailable, unavailableUris, type Uris, urisOf } from './convert.js';

/** How a text is parsed and compared. Every member has a default. */
export interface Context {
  /**
   * The rules for the kinds `hdl-uri`, `http-uri` and `info-hdl`, and for texts without a kind. Default: by `namingAuthorityOf`, else
   * `cordra` for a CORDRA identifier and `generic` for any other Handle.
   */
  readonly profile?: Profile | undefined;
  /** The meaning of the text after `hdl://` for `hdl-uri` in the profile `handle-scheme`. Default `naming-authority`. */
  readonly hdlAuthority?: 'naming-authority' | 'server' | undefined;
  /** Default `ucs2`. */
  readonly charset?: Charset | undefined;
  /** Whether local names are compared without regard to the case of ASCII letters (HS-05). Default: by `namingAuthorityOf`, else false. */
  readonly caseInsensitive?: boolean | undefined;
  /**
   * The resolver of HTTP URIs in input and output (URI-36), unless `namingAuthorityOf` returns another. Default: `DEFAULT_RESOLVER` for
   * the kind `http-uri`; otherwise none, and `uris.resolver` is null.
   */
  readonly resolver?: ResolverConfig | undefined;
  /** Other known resolvers, in input only. */
  readonly resolvers?: (() => readonly Resolver[]) | undefined;
  /** What is known about a naming authority; `profile` and `caseInsensitive` take precedence. Default: nothing. */
  readonly namingAuthorityOf?: ((namingAuthority: string) => KnownNamingAuthority | undefined) | undefined;
  /** A second text of the same kind, for `equal`. */
  readonly equalTo?: string | undefined;
}

/** All properties of a valid text of one of the kinds `K`; `kind` determines the types of the name and the parts. */
export type Normalized<K extends Kind = Kind> = Reading<K> & {
  readonly input: string;
  readonly valid: true;
  readonly uris: Uris;
  /** The number of the rule that forbids each form that is null in `uris`. */
  readonly unavailable: Unavailable;
  /** The components of the URI that `uris` leave out; undefined if there are none. */
  readonly omitted?: Omitted | undefined;
  /** Whether both texts denote the same thing; only with `equalTo`. False for a malformed second text. */
  readonly equal?: boolean;
  /** The differences between the input and `normalized`. */
  readonly repairs: Repairs;
};

/** Why a text is malformed. */
export interface NotNormalized {
  readonly input: string;
  /** The requested kind, otherwise the most similar one, or null. */
  readonly kind: Kind | null;
  readonly valid: false;
  readonly fault: SyntaxFault;
}

/**
 * Parses one text and returns all its properties: strictly as a text of the given kind, or without a kind by recognition
 * . No exception is thrown for a malformed text.
 * @throws TypeError for an unknown kind or an unknown value in the context.
 */
export function normalize<K extends Kind>(input: string, kind: K, context?: Context): Normalized<K> | NotNormalized;
export function normalize(input: string, kind?: Kind, context?: Context): Normalized | NotNormalized;
export function normalize(input: string, kind?: Kind, context: Context = {}): Normalized | NotNormalized {
  const resolver = resolverOf(context.resolver);
  if (resolver !== null && !resolver.ok) {
    const fault = { ...resolver.fault, detail: `context.resolver.${resolver.fault.detail}` };
    return { input, kind: kind ?? null, valid: false, fault };
  }
  const options: Options = optionsOf(context, resolver?.value ?? (kind === 'http-uri' ? DEFAULT_RESOLVER : undefined));
  checkOptions(options);
  const read = readFor(input, kind, options);
  if (!read.ok) return { input, kind: kind ?? read.kind, valid: false, fault: read.fault };
  const { name, parts, normalized } = read.value;
  const authority = 'namingAuthority' in name ? context.namingAuthorityOf?.(name.namingAuthority) : undefined;
  const ownResolver = authority?.resolver ?? options.resolver ?? null;
  const omitted = omittedOf(parts);
  const found = {
    input,
    kind: read.value.kind,
    valid: true,
    name,
    normalized,
    parts,
    uris: urisOf(name, { resolver: ownResolver }),
    unavailable: unavailableUris(name, { resolver: ownResolver }),
    omitted: omitted.length > 0 ? omitted : undefined,
    repairs: read.repairs,
  } as Normalized;
  if (context.equalTo === undefined) return found;
  const other = readFor(context.equalTo, kind, options);
  const { caseInsensitive = authority?.caseInsensitive } = context;
  return { ...found, equal: other.ok && sameName(name, other.value.name, { caseInsensitive }) };
}

/** The context with the given resolver, copied only if its resolver differs, because a copy takes a tenth of the time of `normalize`. */
function optionsOf(context: Context, resolver: Resolver | undefined): Options {
  return context.resolver === resolver ? (context as Options) : { ...context, resolver };
}

type Options = ReadingOptions & Pick<Context, 'resolvers' | 'namingAuthorityOf'>;

function readFor(input: string, kind: Kind | undefined, options: Options): Recognition {
  if (kind === undefined)
    return recognize(
      input,
      options.profile === undefined ? options : { ...options, namingAuthorityOf: stated(options.profile) },
    );
  const read = readStrictly(input, kind, options);
  if (read.ok) return read;
  for (const resolver of kind === 'http-uri' ? (options.resolvers?.() ?? []) : []) {
    const other = readStrictly(input, kind, { ...options, resolver });
    if (other.ok) return other;
  }
  return { ...read, kind };
}

/** Parses a text of a kind. The local name in a URI is read by the profile of its naming authority. */
function readStrictly(input: string, kind: Kind, options: Options): Result<Reading> {
  const read = readAs(input, kind, options);
  if (!read.ok || options.profile !== undefined || !('namingAuthority' in read.value.name)) return read;
  const { type, namingAuthority } = read.value.name;
  const profile = options.namingAuthorityOf?.(namingAuthority)?.profile ?? type;
  if (profile === type || kind === type) return read;
  return readAs(input, kind, { ...options, profile: profile === 'handle' ? 'generic' : profile });
}

/** A profile in the context applies to every naming authority. */
function stated(profile: Profile): () => KnownNamingAuthority {
  return () => ({ profile: profile === 'cordra' ? 'cordra' : 'handle' });
}

function resolverOf(config: ResolverConfig | undefined): Result<Resolver> | null {
  if (config === undefined) return null;
  return isResolver(config) ? ok(config, NO_REPAIRS) : parseResolver(config);
}
