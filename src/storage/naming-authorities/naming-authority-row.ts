import { toResolver } from '../../identifier/index.js';
import type {
  NamingAuthorityProfile,
  NamingAuthorityStatus,
  NamingAuthority,
  UuidVersion,
} from '../../registry/naming-authority.js';

export interface NamingAuthorityRow {
  readonly prefix: string;
  readonly status: string;
  readonly profile: string;
  readonly caseInsensitive: boolean;
  readonly uuidVersion: number;
  readonly targetTemplate: string | null;
  readonly resolverScheme: string | null;
  readonly resolverAuthority: string | null;
  readonly resolverFirstSegment: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const NAMING_AUTHORITY_COLUMNS_SQL = `n.prefix, n.status, n.profile, n.case_insensitive AS "caseInsensitive",
  n.uuid_version AS "uuidVersion", n.target_template AS "targetTemplate", n.resolver_scheme AS "resolverScheme",
  n.resolver_authority AS "resolverAuthority", n.resolver_first_segment AS "resolverFirstSegment", n.version,
  n.created_at AS "createdAt", n.updated_at AS "updatedAt"`;

/** The key of a prefix in SQL, as `namingAuthorityKey` computes it: the collation "C" folds ASCII letters alone. */
export const namingAuthorityKeySql = (prefix: string): string => `upper(${prefix} COLLATE "C")`;

export function namingAuthorityOf(row: NamingAuthorityRow): NamingAuthority {
  const { prefix, caseInsensitive, targetTemplate, version, createdAt, updatedAt } = row;
  const { resolverScheme: scheme, resolverAuthority: uriAuthority, resolverFirstSegment: firstSegment } = row;
  return {
    prefix,
    status: row.status as NamingAuthorityStatus,
    profile: row.profile as NamingAuthorityProfile,
    caseInsensitive,
    uuidVersion: row.uuidVersion as UuidVersion,
    targetTemplate,
    resolver:
      scheme === null || uriAuthority === null ? null : toResolver({ scheme, authority: uriAuthority, firstSegment }),
    version,
    createdAt,
    updatedAt,
  };
}
