import type { Principal } from '../access/principal.js';
import { toResolver } from '@mintmark/identifier';
import type { NamingAuthority } from '../registry/naming-authority.js';
import type { StateCounts } from '../storage/naming-authorities/naming-authority-counts.js';
import type { NamingAuthorityFamily } from '../storage/naming-authorities/naming-authority-reader.js';

export interface DescribedNamingAuthority extends NamingAuthorityFamily {
  readonly counts: StateCounts;
}

/** Removes the parent and the children that the principal cannot see. The caller checks the visibility of the naming authority itself. */
export function redactFamily<T extends Pick<NamingAuthorityFamily, 'parent' | 'children'>>(
  principal: Principal,
  shown: T,
): T {
  const parent = shown.parent !== null && principal.canSee(shown.parent) ? shown.parent : null;
  return { ...shown, parent, children: shown.children.filter((child) => principal.canSee(child)) };
}

export type SerializedNamingAuthority = ReturnType<typeof serializeNamingAuthority>;

export function serializeNamingAuthority({ namingAuthority, parent, children, counts }: DescribedNamingAuthority) {
  const { version, createdAt, updatedAt, ...settings } = serializeSettings(namingAuthority);
  return {
    ...settings,
    parent,
    children: [...children],
    counts: { reserved: { ...counts.reserved }, active: { ...counts.active }, withdrawn: { ...counts.withdrawn } },
    version,
    createdAt,
    updatedAt,
  };
}

/** Members that change only with the version. */
export function serializeSettings(namingAuthority: NamingAuthority) {
  const { prefix, state, profile, caseInsensitive, storesHandleValues, sandbox, metadataIdScheme } = namingAuthority;
  const { uuidVersion, targetTemplate, resolver, version } = namingAuthority;
  return {
    namingAuthority: prefix,
    state,
    profile,
    caseInsensitive,
    storesHandleValues,
    sandbox,
    metadataIdScheme,
    uuidVersion,
    targetTemplate,
    resolver:
      resolver === null
        ? null
        : { scheme: resolver.scheme, authority: resolver.authority, firstSegment: resolver.firstSegment },
    version,
    createdAt: namingAuthority.createdAt.toISOString(),
    updatedAt: namingAuthority.updatedAt.toISOString(),
  };
}

/** The inverse of `serializeNamingAuthority`. */
export function deserializeNamingAuthority(json: SerializedNamingAuthority): DescribedNamingAuthority {
  const { namingAuthority: prefix, parent, children, counts, resolver, createdAt, updatedAt, ...settings } = json;
  return {
    namingAuthority: {
      ...settings,
      prefix,
      resolver: resolver === null ? null : toResolver(resolver),
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    },
    parent,
    children,
    counts,
  };
}
