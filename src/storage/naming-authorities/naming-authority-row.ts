import { comparableUser } from '../../registry/handle-user.js';
import type { Row } from '../columns.js';
import { resolverOf } from '../identifiers/identifier-row.js';
import type {
  MetadataIdScheme,
  NamingAuthorityProfile,
  NamingAuthorityState,
  NamingAuthority,
  UuidVersion,
} from '../../registry/naming-authority.js';

export type NamingAuthorityRow = Row<'naming_authority'> & {
  /** The local names of users, if the statement reads them. */
  readonly handle_users?: readonly string[];
};

export function namingAuthorityOf(row: NamingAuthorityRow): NamingAuthority {
  const rules = { profile: row.profile as NamingAuthorityProfile, caseInsensitive: row.case_insensitive };
  const users = row.handle_users?.map((name) => comparableUser(rules, name));
  return {
    prefix: row.prefix,
    state: row.state as NamingAuthorityState,
    ...rules,
    uuidVersion: row.uuid_version as UuidVersion,
    targetTemplate: row.target_template,
    resolver: resolverOf(row),
    storesHandleValues: row.stores_handle_values,
    sandbox: row.sandbox,
    metadataIdScheme: row.metadata_id_scheme as MetadataIdScheme,
    ...(users !== undefined && { handleUsers: new Set(users) }),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
