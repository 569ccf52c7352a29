import { type Uris, recognize, toResolver, urisOf } from '@mintmark/identifier';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import { metadataUrl, neighborHandleUri, neighborUri } from '../registry/neighbor-uri.js';
import { type Content, type Markup, markup, dayOf, shownTime } from './markup.js';
import type { PageRecord } from './page-record.js';
import { type Row, factTable } from './layout.js';
import { linkTo, shownName } from './visible-text.js';

/** Maximum number of names in a list. A record can have 1.6 MB of alternates, all of which its JSON contains. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 1024;

export function kindOf({ guid, namingAuthority }: IdentifierRecord): string {
  const kind = guid === null ? 'Handle' : 'CORDRA identifier (a Handle)';
  return `${kind} of the naming authority ${namingAuthority}`;
}

/** The attributes of a record. A withdrawn record is shown without its target and language. */
export function attributeTable(shown: PageRecord): Markup {
  const { record, metadataIdScheme = 'recognized' } = shown;
  const uris = linkableUris(shown);
  const { target, language, metadataId, alternateIds, previousVersion, newerVersions, describes } = record;
  const { createdAt, updatedAt, version, state } = record;
  const rows: Row[] = [];
  if (state !== 'withdrawn') rows.push(['Target', target === null ? 'None' : linkTo(target, target, language)]);
  if (state !== 'withdrawn' && language !== null) rows.push(['Language of the target', language]);
  const metadata = metadataId === null ? 'None' : linkTo(metadataUrl(uris, metadataId, metadataIdScheme), metadataId);
  // On a record withdrawn for legal reasons, null can mean that the metadata ID is hidden.
  if (metadataId !== null || record.tombstone?.reasonCode !== 'legal') rows.push(['Metadata ID', metadata]);
  if (alternateIds.length > 0) {
    rows.push(['Alternate identifiers', listOf(alternateIds, (name) => neighborUri(uris, name), doiLink)]);
  }
  if (previousVersion !== null)
    rows.push(['Previous version', listOf([previousVersion], (text) => neighborUri(uris, text))]);
  if (newerVersions.length > 0) {
    rows.push(['Newer versions', listOf(newerVersions, (native) => neighborHandleUri(uris, native))]);
  }
  if (describes.length > 0) {
    rows.push(['Describes', listOf(describes, (native) => neighborHandleUri(uris, native))]);
  }
  rows.push(
    ['Registered', shownTime(createdAt)],
    ['Last changed', markup`${shownTime(updatedAt)} (version ${version})`],
  );
  return factTable('What the registry states about this identifier.', ['Attribute', 'Value'], rows);
}

/** The URIs from which links are built. Before a resolver leads to the record, neither the record nor linked names have a web address. */
export function linkableUris({ uris, isPublic = true }: PageRecord): Uris {
  return isPublic ? uris : { ...uris, resolver: null };
}

/** @param shown renders a name instead of its link; the link is shown if it returns null. */
function listOf(
  names: readonly string[],
  uriOf: (name: string) => string | null,
  shown: (name: string) => Content = () => null,
): Markup {
  const items = names
    .slice(0, MAX_NAMES)
    .map((name) =>
      name.length > MAX_NAME_LENGTH
        ? shownName(`${name.slice(0, MAX_NAME_LENGTH)}…`)
        : (shown(name) ?? linkTo(uriOf(name), name)),
    );
  const more = names.length - items.length;
  return markup`<ul role="list">${items.map((item) => markup`<li>${item}</li>`)}
${more > 0 ? markup`<li>and ${more} more</li>` : null}</ul>`;
}

/** A Handle under a prefix of the DOI system, as a canonical name. */
const DOI = /^hdl:(10\.[^/]+\/.*)$/s;

const DOI_RESOLVER = toResolver({ scheme: 'https', authority: 'doi.org' });

/** A link to a DOI, displayed as its URL (DOI display guidelines of Crossref); null for any other canonical name. */
function doiLink(name: string): Content {
  const doi = DOI.exec(name)?.[1];
  if (doi === undefined) return null;
  const read = recognize(name, { charset: 'unicode' });
  return linkTo(
    read.ok ? urisOf(read.value.name, { resolver: DOI_RESOLVER }).resolver : null,
    DOI_RESOLVER.prefix + doi,
  );
}

/** The state of an identifier that is not withdrawn, in words. */
export function stateOf({ state, target, leaseUntil }: IdentifierRecord): Markup {
  if (state === 'reserved') {
    const end = leaseUntil === null ? null : markup` until ${shownTime(leaseUntil)}`;
    return markup`<p class="state">
      <strong>Reserved</strong>${end}. The identifier is not published yet and does not resolve.
    </p>`;
  }
  return target === null
    ? markup`<p class="state">
        <strong>Active</strong>, without a target. The identifier is registered, but leads to no object yet.
      </p>`
    : markup`<p class="state"><strong>Active</strong>. Links to this identifier lead to the target below.</p>`;
}

/** A line for a list of references: the identifier, the day of its registration, and its web address. */
export function citationOf({ record, uris }: PageRecord): string {
  const address = uris.resolver ?? uris.handleUri ?? uris.infoHdl;
  return `${nativeText(record)}. Registered ${dayOf(record.createdAt)}.${address === null ? '' : ` ${address}`}`;
}
