import { DEFAULT_RESOLVER, type SyntaxFault, canonicalUri } from '@mintmark/identifier';
import type { SearchKey } from '../storage/identifiers/identifier-search.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { MAX_TARGET_LENGTH } from '../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { searchedOpaqueName } from '../registry/opaque-metadata-id.js';
import { isTarget } from '../registry/target.js';
import { namesIn, withoutDelimiters, withoutLayout } from './names-in-text.js';
import { namesInOwnUrl } from './own-url.js';

/** The URL of a Handle at a resolver, with or without a first segment, in which the "/" after the prefix is escaped. */
const ESCAPED_SEPARATOR = /^(https?:\/\/[^/?#]+\/(?:[^/?#%]+\/)?[^/?#%]+)%2F/i;

const HTTP_URL_WITH_FINAL_SLASH = /^https?:\/\/.*\/$/is;

/** Why a text is not an identifier; the offset is in UTF-16 code units. */
export type InputFault = Pick<SyntaxFault, 'code' | 'detail' | 'offset'>;

type ReadName =
  | {
      readonly searchKey: SearchKey;
      readonly canonical: string;
      readonly guid: string | null;
      readonly isForeign: boolean;
    }
  | { readonly error: InputFault };

/** A search key with its canonical form, which is absent for a target. */
export interface Reading {
  readonly searchKey: SearchKey;
  readonly canonical?: string;
}

export interface ReadInput {
  readonly input: string;
  readonly readings: readonly Reading[];
  /** The canonical form of the first name that is well formed. */
  readonly canonical?: string;
  /** Why the unchanged input is malformed; null if it has a well-formed name or opaque metadata ID, or is a URL without an invalid GUID. */
  readonly fault: InputFault | null;
  /** The texts that were read, the input first. */
  readonly texts: readonly string[];
  /** Whether one of `texts` is a name under a prefix that is unknown or hidden from the client. */
  readonly isForeign: boolean;
  /** Whether the input has no name and is not a URL. It can be an opaque metadata ID. */
  readonly isNoName: boolean;
}

/**
 * Parses an input as a name, in three forms: unchanged, without delimiters, and as `withoutLayout` returns it. Also parses the names among
 * its words, the identifier in a URL of this service, a bare GUID, a target, and an opaque metadata ID.
 */
export function readInput(input: string, known: NamingAuthoritySnapshot, ownHost: string): ReadInput {
  const trimmed = input.trim();
  const texts = [...new Set([trimmed, withoutDelimiters(input)])].filter((text, index) => index === 0 || text !== '');
  const withoutSlash = texts.filter((text) => HTTP_URL_WITH_FINAL_SLASH.test(text)).map((url) => url.slice(0, -1));
  const separated = texts
    .filter((text) => ESCAPED_SEPARATOR.test(text))
    .map((url) => url.replace(ESCAPED_SEPARATOR, '$1/'));
  const words = wordsOf(trimmed);
  const { authority } = known.resolver;
  // The default is a public resolver, not this service.
  const hosts = authority === DEFAULT_RESOLVER.authority ? [ownHost] : [ownHost, authority];
  const inOwnUrls = [...texts, ...withoutSlash, ...words].flatMap((text) => namesInOwnUrl(text, known, hosts));
  // Spaces around a name are ignored; those around an opaque metadata ID are part of it.
  const others = [...(known.hasOpaqueMetadataIds ? [trimmed] : []), ...texts.slice(1), ...withoutSlash];
  const asSent = new Set([input, ...others]);
  const reads = [...new Set([...asSent, ...separated, ...inOwnUrls, ...words])].map((text) => ({
    name: readName(text, known),
    opaque: asSent.has(text) ? searchedOpaqueName(text, known) : undefined,
  }));
  const names = reads.flatMap(({ name }) => ('error' in name ? [] : [name]));
  const withGuid = names.find(({ guid }) => guid !== null);
  const [wellFormed] = names;
  const isOpaque = reads.some(({ opaque }) => opaque !== undefined);
  const exact = known.exactHandle(input);
  const targets = texts.filter((text) => text.length <= MAX_TARGET_LENGTH && isTarget(text));
  return {
    input,
    readings: [
      // The exact name comes first, because white space at the end of a text can be part of a local name.
      ...(exact === null ? [] : [{ searchKey: { address: exact.address }, canonical: canonicalUri(exact.name) }]),
      ...reads.flatMap(({ name, opaque }) => readingOf(name, opaque)),
      ...(withGuid?.guid ? [{ searchKey: { guid: withGuid.guid }, canonical: withGuid.canonical }] : []),
      ...targets.map((target) => ({ searchKey: { target } })),
    ],
    ...(wellFormed !== undefined && { canonical: wellFormed.canonical }),
    fault: wellFormed === undefined && !isOpaque ? faultIn(readName(input, known), targets.length > 0) : null,
    texts: [...new Set([input, ...texts, ...withoutSlash, ...separated, ...inOwnUrls, ...words])],
    isForeign: names.some(({ isForeign }) => isForeign),
    isNoName: wellFormed === undefined && targets.length === 0,
  };
}

/** The result of `withoutLayout`, if it differs from the text, and the words in it that can be names. */
export function wordsOf(text: string): string[] {
  const plain = withoutLayout(text);
  return [...(plain === text ? [] : [plain]), ...namesIn(plain)];
}

function readingOf(name: ReadName, opaque: CanonicalName | undefined): Reading[] {
  if ('error' in name) return opaque === undefined ? [] : [{ searchKey: { opaque }, canonical: opaque.canonical }];
  if (opaque === undefined) return [name];
  return [{ searchKey: { ...name.searchKey, opaque }, canonical: name.canonical }];
}

function readName(text: string, known: NamingAuthoritySnapshot): ReadName {
  const named = known.readName(text);
  if (!named.ok) return { error: faultOf(named.fault) };
  const { name } = named.value;
  const guid = name.type === 'uuid' ? name.hex : null;
  const isForeign = 'namingAuthority' in name && known.find(name.namingAuthority) === undefined;
  const searchKey = { address: known.locate(name), name: named.value };
  return { searchKey, canonical: canonicalUri(name), guid, isForeign };
}

/** A URL is malformed only if it has an invalid GUID, because any other URL can be a target. */
function faultIn(name: ReadName, isUrl: boolean): InputFault | null {
  return 'error' in name && (!isUrl || name.error.code === 'INVALID_GUID') ? name.error : null;
}

function faultOf({ code, detail, offset }: SyntaxFault): InputFault {
  return { code, detail, offset };
}
