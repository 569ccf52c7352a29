import { type SyntaxFault, canonicalUri } from '../../identifier/index.js';
import type { SearchKey } from '../../storage/identifiers/identifier-search.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import { MAX_TARGET_LENGTH } from '../../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { searchedOpaqueName } from '../../registry/opaque-metadata-id.js';
import { isTarget } from '../../registry/target.js';
import { identifierInOwnUrl } from './own-url.js';

/** Delimiters that texts and mail programs put around identifiers and URLs. */
const DELIMITER = /[\s<>()"'`\u2018-\u201f\u2039\u203a\u00ab\u00bb]/;

const HTTP_URL_WITH_FINAL_SLASH = /^https?:\/\/.*\/$/is;

/** Why a text is not an identifier; the offset is in UTF-16 code units. */
export type InputFault = Pick<SyntaxFault, 'code' | 'detail' | 'offset'>;

type ReadName =
  | { readonly searchKey: SearchKey; readonly canonical: string; readonly guid: string | null }
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
  /** Why the input as it stands is malformed; null if a name is well formed, or the input is a URL. */
  readonly fault: InputFault | null;
}

/**
 * Parses an input as a name; as a name without delimiters; as the identifier in a URL of this service, whose host and
 * port are `ownHost`; as a bare GUID; and as a target. Where a visible naming authority has opaque metadata IDs, each text
 * but that in a URL of this service is also searched as one.
 */
export function readInput(input: string, known: NamingAuthoritySnapshot, ownHost: string): ReadInput {
  const trimmed = input.trim();
  const texts = [...new Set([trimmed, withoutDelimiters(input)])].filter((text, index) => index === 0 || text !== '');
  const withoutSlash = texts.filter((text) => HTTP_URL_WITH_FINAL_SLASH.test(text)).map((url) => url.slice(0, -1));
  const inOwnUrls = [...texts, ...withoutSlash].flatMap((text) => identifierInOwnUrl(text, ownHost) ?? []);
  // The parser of names ignores spaces around them; an opaque metadata ID has those that were sent.
  const others = [...(known.hasOpaqueMetadataIds ? [trimmed] : []), ...texts.slice(1), ...withoutSlash, ...inOwnUrls];
  const reads = [...new Set([input, ...others])].map((text) => ({
    name: readName(text, known),
    opaque: inOwnUrls.includes(text) ? undefined : searchedOpaqueName(text, known),
  }));
  const names = reads.flatMap(({ name }) => ('error' in name ? [] : [name]));
  const withGuid = names.find(({ guid }) => guid !== null);
  const [wellFormed] = names;
  const isOpaque = reads.some(({ opaque }) => opaque !== undefined);
  const targets = texts.filter((text) => text.length <= MAX_TARGET_LENGTH && isTarget(text));
  return {
    input,
    readings: [
      ...reads.flatMap(({ name, opaque }) => readingOf(name, opaque)),
      ...(withGuid?.guid ? [{ searchKey: { guid: withGuid.guid }, canonical: withGuid.canonical }] : []),
      ...targets.map((target) => ({ searchKey: { target } })),
    ],
    ...(wellFormed !== undefined && { canonical: wellFormed.canonical }),
    fault: wellFormed === undefined && !isOpaque ? faultIn(readName(input, known), targets.length > 0) : null,
  };
}

/** Removes delimiters and one final full stop, which may precede or follow a quotation mark. */
export function withoutDelimiters(text: string): string {
  let start = 0;
  while (start < text.length && DELIMITER.test(text.charAt(start))) start += 1;
  let end = text.length;
  let hasStop = false;
  for (; end > start; end -= 1) {
    const character = text.charAt(end - 1);
    const isStop: boolean = character === '.' && !hasStop;
    if (!isStop && !DELIMITER.test(character)) break;
    hasStop ||= isStop;
  }
  return text.slice(start, end);
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
  return { searchKey: { address: known.locate(name), name: named.value }, canonical: canonicalUri(name), guid };
}

/** A URL that is no notation of an identifier can still be a target, so it is not malformed; that of a GUID with a fault is. */
function faultIn(name: ReadName, isUrl: boolean): InputFault | null {
  return 'error' in name && (!isUrl || name.error.code === 'INVALID_GUID') ? name.error : null;
}

function faultOf({ code, detail, offset }: SyntaxFault): InputFault {
  return { code, detail, offset };
}
