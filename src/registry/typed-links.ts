import type { Uris } from '../identifier/index.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { MetadataIdScheme } from './naming-authority.js';
import { metadataUrl, neighborHandleUri, versionUri } from './neighbor-uri.js';

/** The media type of a link set as JSON (RFC 9264 4.2). */
export const LINKSET = 'application/linkset+json';

/** A typed link (RFC 8288 2). Its context is the page or the representation of a record. */
export interface TypedLink {
  readonly rel: string;
  readonly href: string;
  /** The media type of the target. */
  readonly type?: string;
}

/** Where the service itself serves a record and its history; null where the reader may not see the history. */
export interface RecordUrls {
  readonly record: string;
  readonly history: string | null;
}

/**
 * The typed links of a record, the most important one first, by the FAIR Signposting profile: the persistent identifier
 * (RFC 8574), the metadata record (RFC 6892), what kind of page this is (RFC 6903), and the link set (RFC 9264 6). The
 * history and the other versions of the object are linked by RFC 5829.
 * @param urls null where the service does not serve the record as JSON.
 * @param scheme that of the metadata IDs of its naming authority.
 */
export function typedLinksOf(
  record: IdentifierRecord,
  uris: Uris,
  urls: RecordUrls | null,
  scheme: MetadataIdScheme = 'recognized',
): TypedLink[] {
  const { metadataId } = record;
  const links: TypedLink[] = [];
  if (uris.http !== null) links.push({ rel: 'cite-as', href: uris.http });
  const metadata = metadataId === null ? null : metadataUrl(uris, metadataId, scheme);
  if (metadata !== null) links.push({ rel: 'describedby', href: metadata });
  links.push({ rel: 'type', href: 'https://schema.org/AboutPage' });
  if (urls !== null) links.push({ rel: 'linkset', href: urls.record, type: LINKSET });
  if (urls !== null && urls.history !== null)
    links.push({ rel: 'version-history', href: urls.history, type: 'application/json' });
  return [...links, ...versionLinksOf(record, uris)];
}

function versionLinksOf({ replaces, newerVersions }: IdentifierRecord, uris: Uris): TypedLink[] {
  const link = (rel: string, href: string | null): TypedLink[] => (href === null ? [] : [{ rel, href }]);
  return [
    ...(replaces === null ? [] : link('predecessor-version', versionUri(uris, replaces))),
    ...newerVersions.flatMap((native) => link('successor-version', neighborHandleUri(uris, native))),
  ];
}

/** A link set with one context (RFC 9264 4.2). */
export interface Linkset {
  readonly linkset: readonly LinkContext[];
}

type LinkContext = { readonly anchor: string } & Readonly<Record<string, string | readonly LinkTarget[]>>;

type LinkTarget = Omit<TypedLink, 'rel'>;

/**
 * The link set of a record: its typed links except that to the link set itself, and the objects that it describes.
 * @param urls absolute, because a link set is read without its request (RFC 9264 4.1).
 * @param scheme that of the metadata IDs of its naming authority.
 */
export function linksetOf(
  record: IdentifierRecord,
  uris: Uris,
  urls: RecordUrls,
  scheme: MetadataIdScheme = 'recognized',
): Linkset {
  const context: Record<string, string | LinkTarget[]> = {};
  const described = record.describes.flatMap((native) => neighborHandleUri(uris, native) ?? []);
  const links = [
    ...typedLinksOf(record, uris, urls, scheme).filter(({ rel }) => rel !== 'linkset'),
    ...described.map((href) => ({ rel: 'describes', href })),
  ];
  for (const { rel, ...target } of links) {
    const targets = context[rel];
    if (Array.isArray(targets)) targets.push(target);
    else context[rel] = [target];
  }
  return { linkset: [{ anchor: urls.record, ...context }] };
}
