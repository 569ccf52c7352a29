import type { Principal } from '../access/principal.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import type { StateCounts } from '../storage/naming-authorities/naming-authority-counts.js';
import type { NamingAuthorityFamily } from '../storage/naming-authorities/naming-authority-reader.js';

/** Removes the parent and the children that the principal cannot see. The caller checks the visibility of the naming authority itself. */
export function redactFamily<T extends Pick<NamingAuthorityFamily, 'parent' | 'children'>>(
  principal: Principal,
  shown: T,
): T {
  const parent = shown.parent !== null && principal.canSee(shown.parent) ? shown.parent : null;
  return { ...shown, parent, children: shown.children.filter((child) => principal.canSee(child)) };
}

/** A naming authority with its relatives and counts, as it is stored for replays and represented. */
export type DescribedNamingAuthority = ReturnType<typeof describeNamingAuthority>;

export function describeNamingAuthority(
  { namingAuthority, parent, children }: NamingAuthorityFamily,
  counts: StateCounts | undefined,
) {
  if (counts === undefined) throw new TypeError('every prefix has counts');
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
