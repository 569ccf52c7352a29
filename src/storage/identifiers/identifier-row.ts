import { LRUCache } from 'lru-cache';
import { MEMBERS, type MemberColumn } from '../../registry/members.js';
import { type Resolver, toResolver } from '@mintmark/identifier';
import type { IdentifierRecord, ReasonCode, State } from '../../registry/identifier-record.js';
import { isNameOf } from '../../registry/key-collision.js';
import { EXPIRED, changeTime } from '../../registry/lifecycle.js';
import { type StoredValue, orderedValue } from '../../registry/stored-value.js';
import { compactGuid } from '../../registry/uuid.js';
import type { Row } from '../columns.js';

const STORED = ['id', 'guid', 'local_name', 'version', 'created_at'] as const;
const OF_AUTHORITY = ['sandbox', 'resolver_scheme', 'resolver_authority', 'resolver_first_segment'] as const;

/**
 * Identifiers that name a record, each with the name that it uses. Rows of the view also say whether the naming authority of the record
 * ignores case.
 */
export type NamedBy = readonly (readonly [identifier: string, canonical: string, foldsCase?: string])[];

/** A row of the view `identifier_record`. Every statement that reads records selects these columns. */
export type IdentifierRow = Pick<Row<'identifier'>, (typeof STORED)[number] | Exclude<MemberColumn, 'handle_values'>> &
  Pick<Row<'naming_authority'>, (typeof OF_AUTHORITY)[number]> & {
    readonly handle_values: readonly StoredValue[] | null;
    /** The time of the last change, or of the mint before the first change. */
    readonly updated_at: Date;
    readonly naming_authority: string;
    /** Whether the lease has ended and the expiry is not recorded. */
    readonly expired: boolean;
    /** The objects whose metadata ID has the key of this identifier. */
    readonly describes: NamedBy;
    /** The first identifiers whose previous version has the key of this identifier. */
    readonly newer_versions: NamedBy;
  };

const COLUMNS = [
  ...[...STORED, ...MEMBERS.flatMap(({ columns }) => columns), ...OF_AUTHORITY],
  ...['updated_at', 'naming_authority', 'expired'],
];

/** The columns of a record in the view `view`, for a SELECT. Without `withDescribes`, PostgreSQL does not compute `describes`. */
export function recordColumns(view: string, withDescribes = true): string {
  const computed = [withDescribes ? `${view}.describes` : "'{}'::text[] AS describes", `${view}.newer_versions`];
  return [...COLUMNS.map((column) => `${view}.${column}`), ...computed].join(', ');
}

/**
 * Converts a row to a record. An expired reservation is returned as it will be when its expiry is recorded, with the same version and time,
 * so that entity tags and preconditions do not depend on when that happens.
 * @param expired false for the record as stored.
 */
export function recordOf(row: IdentifierRow, expired = row.expired): IdentifierRecord {
  const guid = row.guid === null ? null : compactGuid(row.guid);
  const [namingAuthority, localName] = [row.naming_authority, row.local_name ?? guid ?? ''];
  return {
    id: BigInt(row.id),
    namingAuthority,
    guid,
    localName,
    metadataId: expired ? null : row.metadata_id,
    target: row.target,
    language: row.language,
    alternateIds: expired ? [] : row.alternate_ids,
    previousVersion: row.previous_version,
    handleValues: row.handle_values?.map(orderedValue) ?? null,
    state: expired ? 'withdrawn' : (row.state as State),
    version: expired ? row.version + 1 : row.version,
    createdAt: row.created_at,
    updatedAt: expired ? changeTime({ updatedAt: row.updated_at }, row.lease_until ?? row.updated_at) : row.updated_at,
    leaseUntil: expired ? null : row.lease_until,
    tombstone: tombstoneOf(row, expired),
    resolver: resolverOf(row),
    sandbox: row.sandbox,
    describes: namingIn(row.describes, { namingAuthority, guid, localName }),
    newerVersions: namingIn(row.newer_versions, { namingAuthority, guid, localName }),
  };
}

/** Returns the identifiers that name this record, rather than another record with the same key. */
export function namingIn(
  rows: NamedBy,
  record: Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName'>,
  foldsCase = rows[0]?.[2] === 'true',
): string[] {
  if (rows.length === 0) return [];
  // Most texts are equal, and comparing a long text takes a millisecond.
  const compared = new Map<string, boolean>();
  return rows.flatMap(([identifier, canonical]) => {
    const isName = compared.get(canonical) ?? isNameOf(canonical, record, foldsCase);
    compared.set(canonical, isName);
    return isName ? [identifier] : [];
  });
}

function tombstoneOf(row: IdentifierRow, expired: boolean): IdentifierRecord['tombstone'] {
  if (expired && row.lease_until !== null) {
    return { withdrawnAt: row.lease_until, ...EXPIRED };
  }
  if (row.withdrawn_at === null) return null;
  const { withdrawal_reason_code: reasonCode, withdrawal_reason: reason, replaced_by: replacedBy } = row;
  return { withdrawnAt: row.withdrawn_at, reasonCode: reasonCode as ReasonCode, reason: reason ?? '', replacedBy };
}

/** Equal resolvers of rows are one object. The number is limited, because each change of a naming authority can name another resolver. */
const resolvers = new LRUCache<string, Resolver>({ max: 10_000 });

/** The resolver in a row of the view or of a naming authority. */
export function resolverOf(row: Pick<Row<'naming_authority'>, (typeof OF_AUTHORITY)[number]>): Resolver | null {
  const { resolver_scheme: scheme, resolver_authority: authority, resolver_first_segment: firstSegment } = row;
  if (scheme === null || authority === null) return null;
  const text = JSON.stringify([scheme, authority, firstSegment]);
  const known = resolvers.get(text) ?? toResolver({ scheme, authority, firstSegment });
  resolvers.set(text, known);
  return known;
}
