import {
  DEFAULT_RESOLVER,
  type Name,
  type Uris,
  formatHandle,
  registryKey,
  toHandle,
  urisOf,
} from '@mintmark/identifier';
import { nameInCanonical } from './canonical-name.js';
import type { MetadataIdScheme } from './naming-authority.js';
import { isTarget } from './target.js';

/** The HTTP URI of another name at the resolver of a record; null if the record or the other name, such as a Fedora name, has none. */
export function neighborUri(uris: Uris, canonical: string): string | null {
  const name = nameInCanonical(canonical);
  return name === null ? null : uriAt(uris, name);
}

/** The URL of the metadata ID of a record. An opaque metadata ID that is an http or https URL is its own URL. */
export function metadataUrl(uris: Uris, metadataId: string, scheme: MetadataIdScheme): string | null {
  if (scheme === 'any') return isTarget(metadataId) ? metadataId : null;
  return neighborUri(uris, metadataId);
}

/** The naming authority of the metadata ID of a record; null if the metadata ID is not a Handle. */
export function metadataAuthority(metadataId: string, scheme: MetadataIdScheme): string | null {
  return scheme === 'any' ? null : (handleIn(metadataId)?.namingAuthority ?? null);
}

/** Like `neighborUri`, for a registered Handle. @param native naming authority, "/" and local name. */
export function neighborHandleUri(uris: Uris, native: string): string | null {
  return uriAt(uris, toHandle(native, { charset: 'unicode' }));
}

/** The Handle in a canonical text, without the query and fragment of a CORDRA identifier; null for another name. */
export function handleIn(canonical: string): { readonly namingAuthority: string; readonly text: string } | null {
  const name = nameInCanonical(canonical);
  if (name === null || !('namingAuthority' in name)) return null;
  return {
    namingAuthority: name.namingAuthority,
    text: name.type === 'cordra' ? registryKey(name) : formatHandle(name),
  };
}

function uriAt({ resolver: http, cordraPath }: Uris, other: Name): string | null {
  const { resolver: elsewhere } = urisOf(other, { resolver: DEFAULT_RESOLVER });
  if (http === null || cordraPath === null || elsewhere === null) return null;
  // Both forms end with the same segments, and the text before these segments is the resolver (URI-31 to URI-34).
  const prefix = http.slice(0, http.length - (cordraPath.length - 'hdl:'.length));
  return prefix + elsewhere.slice(DEFAULT_RESOLVER.prefix.length);
}
