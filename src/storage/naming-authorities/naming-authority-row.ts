import { toResolver } from '../../identifier/index.js';
import type {
  AuthorityProfile,
  AuthorityStatus,
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

export const AUTHORITY_COLUMNS_SQL = `n.prefix, n.status, n.profile, n.case_insensitive AS "caseInsensitive",
  n.uuid_version AS "uuidVersion", n.target_template AS "targetTemplate", n.resolver_scheme AS "resolverScheme",
  n.resolver_authority AS "resolverAuthority", n.resolver_first_segment AS "resolverFirstSegment", n.version,
  n.created_at AS "createdAt", n.updated_at AS "updatedAt"`;

/** `namingAuthorityKey` in SQL: the collation "C" folds only ASCII letters. */
export const authorityKeySql = (prefix: string): string => `upper(${prefix} COLLATE "C")`;

export function namingAuthorityOf(row: NamingAuthorityRow): NamingAuthority {
  const { prefix, caseInsensitive, targetTemplate, version, createdAt, updatedAt } = row;
  const { resolverScheme: scheme, resolverAuthority: authority, resolverFirstSegment: firstSegment } = row;
  return {
    prefix,
    status: row.status as AuthorityStatus,
    profile: row.profile as AuthorityProfile,
    caseInsensitive,
    uuidVersion: row.uuidVersion as UuidVersion,
    targetTemplate,
    resolver: scheme === null || authority === null ? null : toResolver({ scheme, authority, firstSegment }),
    version,
    createdAt,
    updatedAt,
  };
}
