import type { StateCounts } from '../../storage/naming-authorities/naming-authority-counts.js';
import type { AuthorityFamily } from '../../storage/naming-authorities/naming-authority-reader.js';
import type { NamingAuthorityDto } from './naming-authority.dto.js';

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

export function authorityPath(prefix: string): string {
  return `/naming-authorities/${encodeURIComponent(prefix)}`;
}

/**
 * The strong entity tag of the settings: their version. Counts and children are excluded, because they change with
 * every mint and would make `If-Match` useless.
 */
export function settingsTag({ version }: { readonly version: number }): string {
  return `"${version}"`;
}
