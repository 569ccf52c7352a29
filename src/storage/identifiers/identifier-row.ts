import { type Resolver, toResolver } from '../../identifier/index.js';
import type { IdentifierRecord, State } from '../../registry/identifier-record.js';
import { EXPIRED_REASON } from '../../registry/lifecycle.js';

export interface IdentifierRow {
  readonly id: string;
  readonly namingAuthority: string;
  /** 32 hexadecimal digits in capitals (CID-14). */
  readonly guid: string | null;
  readonly localName: string | null;
  readonly metadataId: string | null;
  readonly target: string | null;
  readonly alternateIds: string[];
  readonly state: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly leaseUntil: Date | null;
  /** Whether the lease has ended and the expiry is not recorded. */
  readonly expired: boolean;
  readonly withdrawnAt: Date | null;
  readonly withdrawalReason: string | null;
  readonly replacedBy: string | null;
  readonly resolverScheme: string | null;
  readonly resolverAuthority: string | null;
  readonly resolverFirstSegment: string | null;
  readonly describes: string[];
}

/** Condition on a row `i` whose lease has ended. */
export const EXPIRED_SQL = "(i.state = 'reserved' AND i.lease_until <= CURRENT_TIMESTAMP)";

export const GUID_SQL = (row: string): string => `upper(replace(${row}.guid::text, '-', ''))`;

/** The self key of a row `i` with naming authority `n`, tested to equal `NamingAuthoritySnapshot.canonicalName`. */
export const SELF_KEY_SQL = `sha256(convert_to('hdl:' || upper(i.naming_authority COLLATE "C") || '/' || CASE
    WHEN i.guid IS NOT NULL THEN ${GUID_SQL('i')}
    WHEN n.case_insensitive OR upper(i.naming_authority COLLATE "C") = '0.NA' THEN upper(i.local_name COLLATE "C")
    ELSE i.local_name END, 'UTF8'))`;

/** The objects whose metadata ID has a key, in order of minting. */
export const describedSql = (key: string): string => `ARRAY(
    SELECT d.naming_authority || '/' || coalesce(d.local_name, ${GUID_SQL('d')})
    FROM identifier d WHERE d.metadata_key = ${key} AND NOT ${EXPIRED_SQL.replaceAll('i.', 'd.')} ORDER BY d.created_at, d.id)`;

/** What a record is made of, from a row `i` of `identifier` and a row `n` of `naming_authority`. */
export const RECORD_COLUMNS_SQL = `i.id, i.naming_authority AS "namingAuthority", ${GUID_SQL('i')} AS guid, i.local_name AS "localName",
  i.metadata_id AS "metadataId", i.target, i.alternate_ids AS "alternateIds", i.state, i.version,
  i.created_at AS "createdAt", i.updated_at AS "updatedAt", i.lease_until AS "leaseUntil", ${EXPIRED_SQL} AS expired,
  i.withdrawn_at AS "withdrawnAt", i.withdrawal_reason AS "withdrawalReason", i.replaced_by AS "replacedBy",
  n.resolver_scheme AS "resolverScheme", n.resolver_authority AS "resolverAuthority",
  n.resolver_first_segment AS "resolverFirstSegment", ${describedSql(SELF_KEY_SQL)} AS describes`;

export const RECORD_TABLES_SQL = 'identifier i JOIN naming_authority n ON n.prefix = i.naming_authority';

/**
 * Converts a row to a record. An expired reservation shows no metadata ID and alternates.
 * @param expired false for the record as it is stored.
 */
export function recordOf(row: IdentifierRow, expired = row.expired): IdentifierRecord {
  return {
    id: BigInt(row.id),
    namingAuthority: row.namingAuthority,
    guid: row.guid,
    localName: row.localName ?? row.guid ?? '',
    metadataId: expired ? null : row.metadataId,
    target: row.target,
    alternateIds: expired ? [] : row.alternateIds,
    state: expired ? 'withdrawn' : (row.state as State),
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    leaseUntil: expired ? null : row.leaseUntil,
    tombstone: tombstoneOf(row, expired),
    resolver: resolverOf(row),
    describes: row.describes,
  };
}

function tombstoneOf(row: IdentifierRow, expired: boolean): IdentifierRecord['tombstone'] {
  if (expired && row.leaseUntil !== null) {
    return { withdrawnAt: row.leaseUntil, reason: EXPIRED_REASON, replacedBy: null };
  }
  if (row.withdrawnAt === null) return null;
  return { withdrawnAt: row.withdrawnAt, reason: row.withdrawalReason ?? '', replacedBy: row.replacedBy };
}

const resolvers = new Map<string, Resolver>();

function resolverOf({
  resolverScheme: scheme,
  resolverAuthority: authority,
  resolverFirstSegment: firstSegment,
}: IdentifierRow): Resolver | null {
  if (scheme === null || authority === null) return null;
  const text = JSON.stringify([scheme, authority, firstSegment]);
  const known = resolvers.get(text) ?? toResolver({ scheme, authority, firstSegment });
  resolvers.set(text, known);
  return known;
}
