/**
 * Recognition of texts that start with a scheme: hdl, info, http, https, doi, urn.
 *
 * hdl:     CORDRA identifier, else two segments, else the Handle URI scheme, in which names are stored: it permits several
 *          slashes, and escapes ":" and "@"
 * info:    by the namespace; for fedora, by the number of segments
 * doi:     the rest is a Handle in its native text, not percent-encoded
 *
 * A Handle whose text is a CORDRA identifier is recognized as that identifier, in any form of the URI.
 */
import { hasAt, isDigit } from './grammar/ascii.js';
import { asHandle, hasGuidLength, parseCordraId } from './forms/cordra-id.js';
import { formatHandle } from './forms/handle.js';
import { parseHdlUri } from './forms/hdl-uri.js';
import { parseInfoHdl } from './forms/info-hdl.js';
import { type KnownResolverOptions, readResolverUrl } from './known-resolvers.js';
import { brand } from './brand.js';
import type { CordraId, Handle, HdlUri, HttpUri, InfoHdl } from './types.js';
import { parseWithRawCharacters } from './grammar/raw-characters.js';
import { type Kind, readAs, readingOf, type ReadingOptions, type Recognition } from './parse-as.js';
import { joinRepairs, repair, type Repairs } from './repairs.js';
import type { Resolver } from './resolver.js';
import { describe, excerpt, fail, failAt, ok, type Result } from './syntax-error.js';

/** What a caller knows about a naming authority. */
export interface KnownNamingAuthority {
  /** `cordra`: all its local names are GUIDs (CID-10); `handle`: they are any texts (CID-02), including 32 digits. */
  readonly profile: 'cordra' | 'handle';
  /** Whether local names are compared without regard to the case of ASCII letters (HS-05). Default false. */
  readonly caseInsensitive?: boolean | undefined;
  /** The resolver of the naming authority (URI-36), if it has its own. */
  readonly resolver?: Resolver | null | undefined;
}

/** The known resolvers and naming authorities, and the charset of Handles. */
export interface RecognizeOptions extends KnownResolverOptions {
  /** What is known about a naming authority; undefined for an unknown one. */
  readonly namingAuthorityOf?: ((namingAuthority: string) => KnownNamingAuthority | undefined) | undefined;
}

const WHITESPACE_TRIMMED = /* @__PURE__ */ repair('WHITESPACE_TRIMMED');
const ESCAPE_ADDED = /* @__PURE__ */ repair('ESCAPE_ADDED');
const DOI_PREFIX_REMOVED = /* @__PURE__ */ repair('DOI_PREFIX_REMOVED');

/** Parses an hdl URI, with optional white space after the scheme as in printed references. */
export function recognizeHdl(text: string, options: RecognizeOptions): Recognition {
  const rest = text.slice(4).trimStart();
  const spaces = text.length - 4 - rest.length;
  if (spaces > 0) return moved(recognizeHdl(text.slice(0, 4) + rest, options), spaces, WHITESPACE_TRIMMED);
  const read = parseWithRawCharacters(text, 4, (uri) => {
    const plain = readFor(options, (profile) => parseHdlUri(uri, { charset: options.charset, profile }));
    return plain.ok && isAsStored(plain.value) ? plain : readAsStored(uri, plain.ok, options);
  });
  return cordraFirst('hdl-uri', read, options);
}

export function recognizeHttp(text: string, scheme: 'http' | 'https', options: RecognizeOptions): Recognition {
  const read = readFor(options, (profile) => readResolverUrl(text, scheme, options, profile));
  return cordraFirst('http-uri', read, options);
}

export function recognizeInfo(text: string, options: RecognizeOptions): Recognition {
  if (hasAt(text, 'fedora/', 5)) return recognizeFedora(text);
  const read = parseWithRawCharacters(text, 9, (uri) =>
    readFor(options, (profile) => parseInfoHdl(uri, { charset: options.charset, profile })),
  );
  return cordraFirst('info-hdl', read, options);
}

export function recognizeUrn(text: string): Recognition {
  if (hasAt(text, 'uuid:', 4)) return readClosest(text, 'uuid', {});
  const found = excerpt(text.slice(4));
  return { ...fail('WRONG_NAMESPACE', 4, 'UUID-01', `expected "urn:uuid:", found "urn:${found}"`), kind: 'uuid' };
}

/** Parses `doi:` and a Handle, with optional white space between them as in printed references. */
export function recognizeDoi(text: string, options: RecognizeOptions): Recognition {
  const native = text.slice(4).trimStart();
  const read = isDigit(native.charCodeAt(0)) ? readNative(native, options) : noDoi(native);
  return moved(read, text.length - native.length, DOI_PREFIX_REMOVED);
}

/**
 * Parses a native text: a CORDRA identifier, otherwise any Handle. White space before the "/" indicates prose; such a
 * Handle is recognized only in a URI.
 */
export function readNative(text: string, options: RecognizeOptions): Recognition {
  const { charset } = options;
  const cordra = cordraIn(text);
  if (cordra?.ok && !hasAnyLocalNames(cordra.value.namingAuthority, options)) {
    return ok(readingOf('cordra', cordra.value), cordra.repairs);
  }
  const space = text.slice(0, Math.max(0, text.indexOf('/'))).search(/\s/);
  if (space < 0) return readClosest(text, 'handle', { charset });
  const detail = 'white space before the "/" of a Handle is permitted only in a URI';
  return { ...fail('INVALID_NAMING_AUTHORITY', space, 'R-28', detail), kind: 'handle' };
}

/** The result for a text that was changed before it was read: `offset` moves a fault, and `repairs` are added. */
export function moved(read: Recognition, offset: number, repairs: Repairs): Recognition {
  if (read.ok) return ok(read.value, joinRepairs(read.repairs, repairs));
  return { ...failAt(read, Math.max(0, read.fault.offset + offset)), kind: read.kind };
}

/** Parses a text as the kind that it resembles most, which a failure names. */
export function readClosest(text: string, kind: Kind, options: ReadingOptions): Recognition {
  const read = readAs(text, kind, options);
  return read.ok ? read : { ...read, kind };
}

function recognizeFedora(text: string): Recognition {
  const query = text.indexOf('?');
  const slash = text.indexOf('/', 'info:fedora/'.length);
  const kind = slash < 0 || (query >= 0 && slash > query) ? 'fedora-uri' : 'fedora-dissemination';
  const read = parseWithRawCharacters(text, 'info:fedora/'.length, (uri) => readAs(uri, kind, {}));
  return read.ok ? read : { ...read, kind };
}

/** Whether a URI has the same text in the path form and in the Handle URI scheme, which `canonicalUri` uses. */
function isAsStored({ name, form }: HdlUri): boolean {
  if (name.type === 'cordra' || form === 'host') return true;
  return !/[:@]/.test(name.namingAuthority) && !/[:@/]/.test(name.localName);
}

/** Parses a URI by the Handle URI scheme, after escaping a raw ":" or "@" in the naming authority, which only the path form permits. */
function readAsStored(uri: string, isPath: boolean, { charset }: RecognizeOptions): Result<HdlUri> {
  const authority = uri.slice(4, uri.indexOf('/'));
  const escaped = isPath ? authority.replaceAll(':', '%3A').replaceAll('@', '%40') : authority;
  const text = escaped === authority ? uri : uri.slice(0, 4) + escaped + uri.slice(4 + authority.length);
  const read = parseHdlUri(text, { profile: 'handle-scheme', charset });
  return read.ok && text !== uri ? ok(read.value, joinRepairs(read.repairs, ESCAPE_ADDED)) : read;
}

/** Parses a URI, and again as any Handle if its naming authority permits any local name. */
function readFor<T extends { readonly name: CordraId | Handle }>(
  options: RecognizeOptions,
  parse: (profile?: 'generic') => Result<T>,
): Result<T> {
  const read = parse();
  if (!read.ok || read.value.name.type === 'handle') return read;
  return hasAnyLocalNames(read.value.name.namingAuthority, options) ? parse('generic') : read;
}

function hasAnyLocalNames(namingAuthority: string, { namingAuthorityOf }: RecognizeOptions): boolean {
  return namingAuthorityOf?.(namingAuthority)?.profile === 'handle';
}

/**
 * The result for a URI. A Handle whose text is a CORDRA identifier denotes it, even in a notation that the profile `cordra`
 * rejects (`%3F` for its "?"). The URI keeps its form and gets the canonical text.
 */
function cordraFirst(
  kind: 'hdl-uri' | 'http-uri' | 'info-hdl',
  read: Result<HdlUri | HttpUri | InfoHdl>,
  options: RecognizeOptions,
): Recognition {
  if (!read.ok) return { ...read, kind };
  const uri = read.value;
  const { name } = uri;
  const isHandle = name.type === 'handle' && !hasAnyLocalNames(name.namingAuthority, options);
  const cordra = isHandle ? cordraIn(formatHandle(name)) : null;
  if (!cordra?.ok) return ok(readingOf(kind, uri), read.repairs);
  const canonical = readingOf(kind, brand({ ...uri, name: asHandle(cordra.value) }));
  return ok({ ...canonical, name: cordra.value }, joinRepairs(read.repairs, cordra.repairs));
}

/** The CORDRA identifier with a native text; null or a failure for any other text. */
function cordraIn(text: string): Result<CordraId> | null {
  return hasGuidLength(text, text.indexOf('/'), text.length) ? parseCordraId(text) : null;
}

function noDoi(text: string): Recognition {
  const detail = `the prefix of a DOI starts with a digit, found ${describe(text, 0)}`;
  return { ...fail('INVALID_NAMING_AUTHORITY', 0, 'R-28', detail), kind: 'handle' };
}
