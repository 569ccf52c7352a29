import { Inject, Injectable } from '@nestjs/common';
import { type IdentifierRecord, identifierOf } from '../../registry/identifier-record.js';
import type pg from 'pg';
import { HOT_POOL } from '../../database/pool.js';
import { type CanonicalName, canonicalNameOf } from '../../registry/canonical-name.js';
import { denotes, isAt } from '../../registry/key-collision.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { MAX_PAGE_BYTES, MOST_UNMEASURED, arrayOf, bytesOfRow, prepared } from '../statement.js';
import { type IdentifierRow, recordColumns, recordOf } from './identifier-row.js';
import { HAS_STANDBY, type Queryable } from '../transactions.js';

export interface Conflicts<R = IdentifierRecord> {
  readonly metadata: R | null;
  readonly address: R | null;
  readonly alternate: { readonly record: R; readonly index: number } | null;
  /** An identifier with an alternate that claims the requested name. */
  readonly claim: R | null;
  /** An identifier that a requested alternate names. */
  readonly registered: { readonly record: R; readonly index: number } | null;
  /** JSON Pointer of a requested name whose key another name has, or null. */
  readonly collision: string | null;
  /** Whether a synchronous standby is configured, for which a result based on these rows must wait. */
  readonly hasStandby: boolean;
}

export function expiredIn({ metadata, alternate, claim }: Conflicts): IdentifierRecord[] {
  return [
    ...(metadata?.metadataId === null ? [metadata] : []),
    ...(alternate?.record.alternateIds.length === 0 ? [alternate.record] : []),
    ...(claim?.alternateIds.length === 0 ? [claim] : []),
  ];
}

type Names = Omit<Conflicts, 'collision' | 'hasStandby'>;
type ConflictKind = keyof Names;

interface ConflictColumns {
  readonly ordinal: number;
  readonly kind: ConflictKind;
  readonly index: number | null;
  readonly hasStandby: boolean;
}

type FoundRow = ConflictColumns & IdentifierRow & { readonly isCut: false };

/** `isCut`: the records of earlier mints already have too many bytes. */
type ConflictRow = FoundRow | (ConflictColumns & { readonly isCut: true });

const COLUMNS = 'x.id, x.client, x.request_key, x.request_index';
/** SQL: whether an identifier was created by another request than the request of the mint. */
const IS_OTHER =
  '((r.client, r.request_key, r.request_index) = (w.client, w.request_key, w.request_index)) IS NOT TRUE';

/**
 * $1 to $8: the mints; $9 to $13: their alternates, with the naming authorities and names that they claim. Excludes the identifier of an
 * earlier attempt of the same request, which is a replay. Only the first conflict of each kind is read, and records only up to
 * `MAX_PAGE_BYTES`. For OFFSET 0, see "Planner assumptions" in architecture.md.
 */
const CONFLICTS = `
  WITH w AS (
    SELECT w.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority) AS naming_authority_id
    FROM unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::text[], $6::uuid[], $7::uuid[], $8::uuid[])
      AS w(ordinal, client, request_key, request_index, naming_authority, metadata_key, guid, local_key)
  ), a AS (
    SELECT * FROM unnest($9::int[], $10::int[], $11::uuid[], $12::text[], $13::uuid[]) AS a(ordinal, index, key, prefix, name)
  ), found(ordinal, kind, index, id) AS (
  SELECT w.ordinal, 'metadata', NULL::int, r.id FROM w CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM identifier x
    WHERE x.metadata_key = w.metadata_key AND x.naming_authority_id = w.naming_authority_id OFFSET 0
  ) r WHERE ${IS_OTHER}
  UNION ALL
  SELECT w.ordinal, 'address', NULL, r.id FROM w CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM identifier x WHERE x.guid = w.guid AND x.naming_authority_id = w.naming_authority_id OFFSET 0
  ) r WHERE ${IS_OTHER}
  UNION ALL
  SELECT w.ordinal, 'address', NULL, r.id FROM w CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM identifier x WHERE x.local_key = w.local_key AND x.naming_authority_id = w.naming_authority_id OFFSET 0
  ) r WHERE ${IS_OTHER}
  UNION ALL
  SELECT w.ordinal, 'alternate', a.index, r.id FROM a JOIN w USING (ordinal) CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM alternate_identifier y JOIN identifier x ON x.id = y.identifier_id
    WHERE y.key = a.key AND y.naming_authority_id = w.naming_authority_id OFFSET 0
  ) r WHERE ${IS_OTHER}
  UNION ALL
  SELECT w.ordinal, 'claim', NULL, r.id FROM w CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM alternate_identifier y JOIN identifier x ON x.id = y.identifier_id
    WHERE y.claimed_name = coalesce(w.guid, w.local_key) AND y.claimed_authority_id = w.naming_authority_id OFFSET 0
  ) r WHERE ${IS_OTHER}
  UNION ALL
  SELECT a.ordinal, 'registered', a.index, h.id
  FROM a CROSS JOIN LATERAL (SELECT n.id FROM naming_authority n WHERE n.prefix = a.prefix OFFSET 0) n
  CROSS JOIN LATERAL (
    SELECT x.id FROM identifier x WHERE x.guid = a.name AND x.naming_authority_id = n.id
    UNION ALL
    SELECT x.id FROM identifier x WHERE x.local_key = a.name AND x.naming_authority_id = n.id
    OFFSET 0
  ) h
  ), bounded AS (
    SELECT f.*, coalesce(sum(o.bytes) OVER (ORDER BY f.ordinal RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
             >= ${MAX_PAGE_BYTES} AS is_cut
    FROM (SELECT DISTINCT ON (ordinal, kind) * FROM found ORDER BY ordinal, kind, index) f
    CROSS JOIN LATERAL (SELECT ${bytesOfRow('i')} AS bytes FROM identifier i WHERE i.id = f.id OFFSET 0) o
  )
  SELECT b.ordinal, b.kind, b.index, b.is_cut AS "isCut", ${HAS_STANDBY} AS "hasStandby", r.*
  FROM bounded b LEFT JOIN LATERAL (
    SELECT ${recordColumns('x')}
    FROM identifier_record x WHERE x.id = b.id AND NOT b.is_cut OFFSET 0
  ) r ON true`;

/**
 * $1 to $6: mints, at most `MOST_UNMEASURED`, that request neither a name nor an alternate, so that only their metadata IDs can exist.
 * This takes about half the time of `CONFLICTS`.
 */
const METADATA_CONFLICTS = `
  SELECT w.ordinal, 'metadata' AS kind, NULL::int AS index, false AS "isCut", ${HAS_STANDBY} AS "hasStandby", x.*
  FROM unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::text[], $6::uuid[])
    AS w(ordinal, client, request_key, request_index, naming_authority, metadata_key)
  CROSS JOIN LATERAL (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority OFFSET 0) n
  CROSS JOIN LATERAL (
    SELECT ${recordColumns('r')} FROM identifier_record r
    WHERE r.metadata_key = w.metadata_key AND r.naming_authority_id = n.id AND ${IS_OTHER} OFFSET 0
  ) x`;

/** Finds the conflicts of identifiers that were not inserted. */
@Injectable()
export class ConflictFinder {
  constructor(@Inject(HOT_POOL) private readonly pool: pg.Pool) {}

  /** @returns the conflicts of each item, in order. If the records are large, returns only those of the first items, at least of one. */
  async find(items: readonly NewIdentifier[], from: Queryable = this.pool): Promise<Conflicts[]> {
    const { rows } = await from.query<ConflictRow>(conflictsQuery(items));
    const found = new Map<number, Map<ConflictKind, FoundRow>>();
    let end = items.length;
    for (const row of rows) {
      if (row.isCut) end = Math.min(end, row.ordinal);
      else found.set(row.ordinal, (found.get(row.ordinal) ?? new Map<ConflictKind, FoundRow>()).set(row.kind, row));
    }
    const first = items.slice(0, end);
    return first.map((item, ordinal) => conflictsOf(item, found.get(ordinal) ?? new Map<ConflictKind, FoundRow>()));
  }
}

function conflictsQuery(items: readonly NewIdentifier[]): pg.QueryConfig {
  const alternates = items.flatMap((item, ordinal) =>
    item.alternates.map(({ key, here }, index) => ({ ordinal, index, key, claim: here?.address ?? null })),
  );
  // An existing generated name is not reported, because the mint is repeated with another name.
  const requested = items.map(({ address, selfKey }) => (selfKey === null ? null : address));
  const values = [
    arrayOf(items.map((_, ordinal) => ordinal)),
    arrayOf(items.map(({ actor }) => actor.client)),
    arrayOf(items.map(({ request }) => request?.key ?? null)),
    arrayOf(items.map(({ request }) => request?.index ?? null)),
    arrayOf(items.map(({ authority }) => authority.prefix)),
    arrayOf(items.map(({ metadata }) => metadata?.key ?? null)),
  ];
  const hasNames = alternates.length > 0 || requested.some((address) => address !== null);
  if (!hasNames && items.length <= MOST_UNMEASURED)
    return { name: 'find-metadata-conflicts', text: METADATA_CONFLICTS, values };
  values.push(
    arrayOf(requested.map((address) => address?.guid ?? null)),
    arrayOf(requested.map((address) => address?.localKey ?? null)),
    arrayOf(alternates.map(({ ordinal }) => ordinal)),
    arrayOf(alternates.map(({ index }) => index)),
    arrayOf(alternates.map(({ key }) => key)),
    arrayOf(alternates.map(({ claim }) => claim?.namingAuthority ?? null)),
    arrayOf(alternates.map(({ claim }) => claim?.guid ?? claim?.localKey ?? null)),
  );
  return prepared('find-conflicts', CONFLICTS, values, items.length);
}

function conflictsOf(item: NewIdentifier, byKind: ReadonlyMap<ConflictKind, FoundRow>): Conflicts {
  const record = (kind: ConflictKind): IdentifierRecord | null => {
    const row = byKind.get(kind);
    return row === undefined ? null : recordOf(row);
  };
  const indexed = (kind: ConflictKind): Conflicts['alternate'] => {
    const found = record(kind);
    return found === null ? null : { record: found, index: byKind.get(kind)?.index ?? 0 };
  };
  const names = {
    metadata: record('metadata'),
    address: record('address'),
    alternate: indexed('alternate'),
    claim: record('claim'),
    registered: indexed('registered'),
  };
  const hasStandby = [...byKind.values()].some((row) => row.hasStandby);
  return { ...names, hasStandby, collision: collisionOf(item, names) };
}

/** Expired reservations have no metadata ID and no alternates here; their keys become free when the expiry is recorded. */
function collisionOf(item: NewIdentifier, names: Names): string | null {
  const { metadata, address, alternate, claim, registered } = names;
  const isOther = (stored: readonly string[], name: CanonicalName | null | undefined): boolean =>
    stored.length > 0 && name != null && !stored.some((each) => denotes(each, name));
  if (isOther(metadata?.metadataId == null ? [] : [metadata.metadataId], item.metadata)) return '/metadataId';
  if (address !== null && !isAt(address.localName, item.address)) return '/localName';
  if (claim !== null && isOther(claim.alternateIds, ownName(item))) return '/localName';
  if (alternate !== null && isOther(alternate.record.alternateIds, item.alternates[alternate.index]))
    return `/alternateIds/${alternate.index}`;
  const named = item.alternates[registered?.index ?? 0]?.here?.address ?? null;
  if (registered === null || named === null || isAt(registered.record.localName, named)) return null;
  return `/alternateIds/${registered.index}`;
}

function ownName({ address, localName }: NewIdentifier): CanonicalName {
  const { namingAuthority, guid, foldsCase } = address;
  return canonicalNameOf(identifierOf({ namingAuthority, guid, localName }), { foldsCase });
}
