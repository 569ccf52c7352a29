import { type Uris, canonicalUri } from '@mintmark/identifier';
import { type IdentifierRecord, identifierOf } from './identifier-record.js';
import type { MetadataIdScheme } from './naming-authority.js';
import { metadataUrl, neighborHandleUri, neighborUri } from './neighbor-uri.js';

/** Media type of a link set as JSON (RFC 9264 4.2). */
export const LINKSET = 'application/linkset+json';

/** A typed link (RFC 8288 2). Its context is the page or the representation of a record. */
export interface TypedLink {
  readonly rel: string;
  readonly href: string;
  /** Media type of the target. */
  readonly type?: string;
  /** Languages of the target, as in a link set (RFC 9264 4.2.4.1). */
  readonly hreflang?: readonly string[];
}

/** URLs of a record and its history at this service. `history` is null if the reader may not see the history. */
export interface RecordUrls {
  readonly record: string;
  readonly history: string | null;
}

/**
 * The typed links of a record by the FAIR Signposting profile, most important first: the persistent identifier (RFC 8574), the metadata
 * record (RFC 6892), the type of the page (RFC 6903), the link set (RFC 9264 6), and the history and other versions of the object (RFC
 * 5829).
 * @param urls null if the service does not serve the record as JSON.
 */
export function typedLinksOf(
  record: IdentifierRecord,
  uris: Uris,
  urls: RecordUrls | null,
  scheme: MetadataIdScheme = 'recognized',
): TypedLink[] {
  const { metadataId } = record;
  const links: TypedLink[] = [];
  if (uris.resolver !== null) links.push({ rel: 'cite-as', href: uris.resolver });
  const metadata = metadataId === null ? null : metadataUrl(uris, metadataId, scheme);
  if (metadata !== null) links.push({ rel: 'describedby', href: metadata });
  links.push({ rel: 'type', href: 'https://schema.org/AboutPage' });
  if (urls !== null) links.push({ rel: 'linkset', href: urls.record, type: LINKSET });
  if (urls !== null && urls.history !== null)
    links.push({ rel: 'version-history', href: urls.history, type: 'application/json' });
  return [...links, ...versionLinksOf(record, uris)];
}

/** The relation of a withdrawn identifier to its replacement: a Dublin Core term, because no registered relation has this meaning. */
export const IS_REPLACED_BY = 'http://purl.org/dc/terms/isReplacedBy';

function versionLinksOf({ previousVersion, newerVersions, tombstone }: IdentifierRecord, uris: Uris): TypedLink[] {
  const link = (rel: string, href: string | null): TypedLink[] => (href === null ? [] : [{ rel, href }]);
  const replacedBy = tombstone?.replacedBy ?? null;
  return [
    ...(replacedBy === null ? [] : link(IS_REPLACED_BY, neighborUri(uris, replacedBy))),
    ...(previousVersion === null ? [] : link('predecessor-version', neighborUri(uris, previousVersion))),
    ...newerVersions.flatMap((native) => link('successor-version', neighborHandleUri(uris, native))),
  ];
}

/** Relations of a page about an identifier, not of the identifier itself. */
const OF_PAGES: ReadonlySet<string> = new Set(['cite-as', 'type']);

/** The typed links for the redirect of a resolver, the link set first. */
export function identifierLinksOf(record: IdentifierRecord, uris: Uris, scheme: MetadataIdScheme): TypedLink[] {
  return resolverPageLinksOf(record, uris, scheme).filter(({ rel }) => !OF_PAGES.has(rel));
}

/** The typed links for the page about an identifier at a resolver, the link set first. */
export function resolverPageLinksOf(record: IdentifierRecord, uris: Uris, scheme: MetadataIdScheme): TypedLink[] {
  const path = resolverPathOf(uris);
  const linkset = path === null ? [] : [{ rel: 'linkset', href: path, type: LINKSET }];
  return [...linkset, ...typedLinksOf(record, uris, null, scheme)];
}

/** The path of an identifier at its resolver; null without an HTTP URI. */
export function resolverPathOf({ resolver: http }: Uris): string | null {
  return http === null ? null : http.slice(http.indexOf('/', 'https://'.length));
}

/** A link set with one context (RFC 9264 4.2). */
export interface Linkset {
  readonly linkset: readonly LinkContext[];
}

type LinkContext = { readonly anchor: string } & Readonly<Record<string, string | readonly LinkTarget[]>>;

type LinkTarget = Omit<TypedLink, 'rel'>;

/**
 * The link set of a record: its typed links except the link to the link set, and the objects that it describes.
 * @param urls absolute, because a link set can be read without its request (RFC 9264 4.1).
 */
export function linksetOf(
  record: IdentifierRecord,
  uris: Uris,
  urls: RecordUrls,
  scheme: MetadataIdScheme = 'recognized',
): Linkset {
  return linksetAt(urls.record, record, uris, typedLinksOf(record, uris, urls, scheme));
}

/**
 * The link set of an identifier itself: its typed links, the objects that it describes, and its target as an `item` (RFC 6573), which in
 * FAIR Signposting links an object to its content.
 */
export function identifierLinksetOf(record: IdentifierRecord, uris: Uris, scheme: MetadataIdScheme): Linkset {
  const { target, language, tombstone } = record;
  const spoken = language === null ? {} : { hreflang: [language] };
  const item = target === null || tombstone !== null ? [] : [{ rel: 'item', href: target, ...spoken }];
  const anchor = uris.resolver ?? canonicalUri(identifierOf(record));
  return linksetAt(anchor, record, uris, [...item, ...identifierLinksOf(record, uris, scheme)]);
}

function linksetAt(anchor: string, { describes }: IdentifierRecord, uris: Uris, typed: readonly TypedLink[]): Linkset {
  const context: Record<string, string | LinkTarget[]> = {};
  const described = describes.flatMap((native) => neighborHandleUri(uris, native) ?? []);
  const links = [
    ...typed.filter(({ rel }) => rel !== 'linkset'),
    ...described.map((href) => ({ rel: 'describes', href })),
  ];
  for (const { rel, ...target } of links) {
    const targets = context[rel];
    if (Array.isArray(targets)) targets.push(target);
    else context[rel] = [target];
  }
  return { linkset: [{ anchor, ...context }] };
}
