import type { StateCounts } from '../record/authority-counts.js';
import type { AuthorityFamily } from '../record/authority-reader.js';
import type { NamingAuthorityDto } from './naming-authority.dto.js';

/** The representation of a naming authority. */
export function showAuthority(
  { authority, parent, children }: AuthorityFamily,
  counts: StateCounts,
): NamingAuthorityDto {
  const { prefix, status, profile, caseInsensitive, uuidVersion, targetTemplate, resolver, version } = authority;
  return {
    namingAuthority: prefix,
    status,
    profile,
    caseInsensitive,
    uuidVersion,
    targetTemplate,
    resolver:
      resolver === null
        ? null
        : { scheme: resolver.scheme, authority: resolver.authority, firstSegment: resolver.firstSegment },
    parent,
    children: [...children],
    counts: { reserved: { ...counts.reserved }, active: { ...counts.active }, withdrawn: { ...counts.withdrawn } },
    version,
    createdAt: authority.createdAt.toISOString(),
    updatedAt: authority.updatedAt.toISOString(),
  };
}

/** The path under which a naming authority is served. */
export function authorityPath(prefix: string): string {
  return `/naming-authorities/${encodeURIComponent(prefix)}`;
}

/**
 * The strong entity tag of a naming authority's settings: its version. Counts and children are not part of it, for they
 * change with every mint, and nobody could change a setting under `If-Match` while others mint.
 */
export function settingsTag({ version }: { readonly version: number }): string {
  return `"${version}"`;
}
