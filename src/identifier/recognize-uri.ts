/**
 * Recognition of texts that start with a scheme: hdl, info, http, https, doi, urn.
 *
 * hdl:     CORDRA, else two segments, else the Handle URI scheme, which permits several slashes
 * info:    by the namespace; for fedora, by the number of segments
 * doi:     the rest is a Handle in its native text, not percent-encoded
 *
 * A Handle whose text is a CORDRA identifier is recognized as such, in any form of the URI.
 */
import { hasAt, isDigit } from './grammar/ascii.js';
import { asHandle, parseCordraId } from './forms/cordra-id.js';
import { formatHandle } from './forms/handle.js';
import { formatHdlUri, parseHdlUri } from './forms/hdl-uri.js';
import { formatHttpUri } from './forms/http-uri.js';
import { formatInfoHdl, parseInfoHdl } from './forms/info-hdl.js';
import { type KnownResolverOptions, readResolverUrl } from './known-resolvers.js';
import { brand } from './brand.js';
import type { CordraId, Handle } from './types.js';
import { hdlUriParts, httpUriParts, infoHdlParts } from './components.js';
import { parseWithRawCharacters } from './grammar/raw-characters.js';
import { type Kind, readAs, type Reading, type Recognition } from './parse-as.js';
import { joinRepairs, NO_REPAIRS, repair, type Repairs } from './repairs.js';
import type { Resolver } from './resolver.js';
import { describe, excerpt, fail, failAt, ok, type Result } from './syntax-error.js';

/** What a caller knows of a naming authority. */
export interface KnownNamingAuthority {
  /** `cordra`: all its local names are GUIDs (CID-10); `handle`: they are any texts (CID-02), also if one has 32 digits. */
  readonly profile: 'cordra' | 'handle';
  /** Whether local names are compared without the case of ASCII letters (HS-05). Default false. */
  readonly caseInsensitive?: boolean | undefined;
  /** The resolver of its names (URI-36), where it has one of its own. */
  readonly resolver?: Resolver | null | undefined;
}

/** The known resolvers and naming authorities, and the charset of Handles. */
export interface RecognizeOptions extends KnownResolverOptions {
  /** What is known of a naming authority; undefined for one that is not known. */
  readonly namingAuthorityOf?: ((namingAuthority: string) => KnownNamingAuthority | undefined) | undefined;
}

const DOI_PREFIX_REMOVED = repair('DOI_PREFIX_REMOVED');

export function recognizeHdl(text: string, options: RecognizeOptions): Recognition {
  const read = parseWithRawCharacters(text, 4, (uri) => {
    const plain = readFor(options, (profile) => parseHdlUri(uri, { charset: options.charset, profile }));
    return plain.ok ? plain : parseHdlUri(uri, { profile: 'handle-scheme', charset: options.charset });
  });
  if (!read.ok) return { ...read, kind: 'hdl-uri' };
  const { name, handle, repairs } = cordraFirst(read.value.name, options);
  const uri = brand({ ...read.value, name: handle });
  const reading: Reading = { kind: 'hdl-uri', name, normalized: formatHdlUri(uri), parts: hdlUriParts(uri) };
  return ok(reading, joinRepairs(read.repairs, repairs));
}

export function recognizeHttp(text: string, scheme: 'http' | 'https', options: RecognizeOptions): Recognition {
  const read = readFor(options, (profile) => readResolverUrl(text, scheme, { ...options, profile }));
  if (!read.ok) return { ...read, kind: 'http-uri' };
  const { name, handle, repairs } = cordraFirst(read.value.name, options);
  const uri = brand({ ...read.value, name: handle });
  const reading: Reading = { kind: 'http-uri', name, normalized: formatHttpUri(uri), parts: httpUriParts(uri) };
  return ok(reading, joinRepairs(read.repairs, repairs));
}

export function recognizeInfo(text: string, options: RecognizeOptions): Recognition {
  if (hasAt(text, 'fedora/', 5)) return recognizeFedora(text);
  const read = parseWithRawCharacters(text, 9, (uri) =>
    readFor(options, (profile) => parseInfoHdl(uri, { charset: options.charset, profile })),
  );
  if (!read.ok) return { ...read, kind: 'info-hdl' };
  const { name, handle, repairs } = cordraFirst(read.value.name, options);
  const uri = brand({ ...read.value, name: handle });
  const reading: Reading = { kind: 'info-hdl', name, normalized: formatInfoHdl(uri), parts: infoHdlParts(uri) };
  return ok(reading, joinRepairs(read.repairs, repairs));
}

export function recognizeUrn(text: string): Recognition {
  if (hasAt(text, 'uuid:', 4)) return closestTo('uuid', readAs(text, 'uuid', {}));
  const found = excerpt(text.slice(4));
  return { ...fail('WRONG_NAMESPACE', 4, 'UUID-01', `expected "urn:uuid:", found "urn:${found}"`), kind: 'uuid' };
}

/** Parses `doi:` and a Handle, with optional white space between them as in printed references. */
export function recognizeDoi(text: string, options: RecognizeOptions): Recognition {
  const native = text.slice(4).trimStart();
  const read = isDigit(native.charCodeAt(0)) ? readNative(native, options) : noDoi(native);
  if (read.ok) return ok(read.value, joinRepairs(read.repairs, DOI_PREFIX_REMOVED));
  return { ...failAt(read, text.length - native.length + read.fault.offset), kind: read.kind };
}

/**
 * Parses a native text: a CORDRA identifier, otherwise any Handle. White space before the "/" indicates prose; such a
 * Handle is recognized only in a URI.
 */
export function readNative(text: string, options: RecognizeOptions): Recognition {
  const { charset } = options;
  const cordra = readAs(text, 'cordra', {});
  if (cordra.ok && !hasAnyLocalNames(text.slice(0, text.indexOf('/')), options)) return cordra;
  const space = firstWhiteSpace(text, text.indexOf('/'));
  if (space < 0) return closestTo('handle', readAs(text, 'handle', { charset }));
  const detail = 'white space before the "/" is not permitted in a Handle without a stated form; write it as a URI';
  return { ...fail('INVALID_NAMING_AUTHORITY', space, 'R-28', detail), kind: 'handle' };
}

/** Returns a failure with the given kind. */
export function closestTo(kind: Kind, result: Result<Reading>): Recognition {
  return result.ok ? result : { ...result, kind };
}

function recognizeFedora(text: string): Recognition {
  const query = text.indexOf('?');
  const slash = text.indexOf('/', 'info:fedora/'.length);
  const kind = slash < 0 || (query >= 0 && slash > query) ? 'fedora-uri' : 'fedora-dissemination';
  return closestTo(
    kind,
    parseWithRawCharacters(text, 'info:fedora/'.length, (uri) => readAs(uri, kind, {})),
  );
}

/** Parses a URI, and again as any Handle where its naming authority has any local names. */
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

interface CordraFirst {
  /** The name. */
  readonly name: CordraId | Handle;
  /** The name to write in the URI. */
  readonly handle: CordraId | Handle;
  readonly repairs: Repairs;
}

/**
 * A Handle whose text is a CORDRA identifier denotes it, even in a notation that the profile `cordra` refuses (`%3F`
 * for its "?"). The URI keeps its form and gets the canonical text.
 */
function cordraFirst(name: CordraId | Handle, options: RecognizeOptions): CordraFirst {
  const isGuid = name.type === 'handle' && !hasAnyLocalNames(name.namingAuthority, options);
  const read = isGuid ? parseCordraId(formatHandle(name)) : null;
  if (!read?.ok) return { name, handle: name, repairs: NO_REPAIRS };
  return { name: read.value, handle: asHandle(read.value), repairs: read.repairs };
}

function noDoi(text: string): Recognition {
  const detail = `the prefix of a DOI starts with a digit, found ${describe(text, 0)}`;
  return { ...fail('INVALID_NAMING_AUTHORITY', 0, 'R-28', detail), kind: 'handle' };
}

function firstWhiteSpace(text: string, end: number): number {
  for (let i = 0; i < end; i++) if (text.charAt(i).trim() === '') return i;
  return -1;
}
