import type { Principal } from '../../access/principal.js';
import { linkHeaderOf } from '../../http/headers/links.js';
import { type Resolver, urisOf } from '@mintmark/identifier';
import { type IdentifierRecord, identifierOf } from '../../registry/identifier-record.js';
import type { MetadataIdScheme } from '../../registry/naming-authority.js';
import { handleIn, metadataAuthority } from '../../registry/neighbor-uri.js';
import { type TypedLink, identifierLinksOf } from '../../registry/typed-links.js';

/** Maximum length of the value of `Link`, in characters; with the name, the line of the header is below 1 KB. */
const MAX_LENGTH = 1000;

interface Made {
  readonly scheme: MetadataIdScheme;
  readonly link: string | undefined;
}

const made = new WeakMap<IdentifierRecord, Made>();

/** The value of `Link` for a record. The value is kept, because the cache of records returns the same object again. */
export function identifierLink(
  record: IdentifierRecord,
  scheme: MetadataIdScheme,
  resolver: Resolver,
): string | undefined {
  const known = made.get(record);
  if (known?.scheme === scheme) return known.link;
  const uris = urisOf(identifierOf(record), { resolver: record.resolver ?? resolver });
  const link = linkOf(identifierLinksOf(record, uris, scheme));
  made.set(record, { scheme, link });
  return link;
}

/** The value of `Link` with the links that fit into `MAX_LENGTH`, in order; undefined if none fits. */
export function linkOf(links: readonly TypedLink[]): string | undefined {
  return linkHeaderOf(links, MAX_LENGTH);
}

/** A record as the principal may see it. Links must not reveal whether naming authorities that the principal cannot see exist. */
export function linkable(record: IdentifierRecord, scheme: MetadataIdScheme, principal: Principal): IdentifierRecord {
  const redacted = principal.redact(record);
  if (!principal.hasRestrictedView) return redacted;
  const seen = (text: string | null, namingAuthorityOf: (text: string) => string | null): string | null => {
    const namingAuthority = text === null ? null : namingAuthorityOf(text);
    return namingAuthority === null || principal.canSee(namingAuthority) ? text : null;
  };
  const authorityIn = (text: string): string | null => handleIn(text)?.namingAuthority ?? null;
  const { metadataId, previousVersion, tombstone } = redacted;
  return {
    ...redacted,
    metadataId: seen(metadataId, (text) => metadataAuthority(text, scheme)),
    previousVersion: seen(previousVersion, authorityIn),
    tombstone: tombstone && { ...tombstone, replacedBy: seen(tombstone.replacedBy, authorityIn) },
  };
}
