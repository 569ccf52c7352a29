import type { IdentifierRecord, State } from '../../registry/identifier-record.js';
import { MAX_PAGE_OCTETS } from '../bounded-page.js';
import type { CanonicalName } from '../../registry/canonical-name.js';

export interface PageFilter {
  readonly metadata?: CanonicalName | undefined;
  /** The same text as an opaque metadata ID; records with either of the two match. */
  readonly opaqueMetadata?: CanonicalName | undefined;
  readonly alternate?: CanonicalName | undefined;
  readonly namingAuthority?: string | undefined;
  /** The visible naming authorities; absent where all are visible. */
  readonly namingAuthorities?: readonly string[] | undefined;
  readonly state?: State | undefined;
  readonly target?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

/** A filter with the numbers of naming authorities, by whose statistics PostgreSQL chooses the index. */
export type NumberedFilter = Omit<PageFilter, 'namingAuthority' | 'namingAuthorities'> & {
  readonly namingAuthorityId?: number | undefined;
  readonly namingAuthorityIds?: readonly number[] | undefined;
};

export type PageCursor = Pick<IdentifierRecord, 'createdAt' | 'id'>;

/** Conditions on the current state, in the words of its partial index. */
const IN_STATE: Readonly<Record<State, string>> = {
  active: "state = 'active'",
  reserved: "state <> 'active' AND state = 'reserved' AND NOT expired",
  withdrawn: "state <> 'active' AND (state = 'withdrawn' OR expired)",
};

/** The query of one page, with keyset pagination. Every filter has an index that ends with the order of the pages. */
export function pageQuery(
  filter: NumberedFilter,
  limit: number,
  after: PageCursor | undefined,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const where = (value: unknown, condition: (parameter: string) => string): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const metadataKeys = [filter.metadata, filter.opaqueMetadata].flatMap((name) => name?.key ?? []);
  if (metadataKeys.length < 2) where(metadataKeys[0], (key) => `metadata_key = ${key} AND NOT expired`);
  else where(metadataKeys, (keys) => `metadata_key = ANY(${keys}::uuid[]) AND NOT expired`);
  where(
    filter.alternate?.key,
    (key) => `id IN (SELECT a.identifier_id FROM alternate_identifier a WHERE a.key = ${key}) AND NOT expired`,
  );
  where(filter.namingAuthorityId, (number) => `naming_authority_id = ${number} AND id > 0`);
  where(filter.namingAuthorityIds, (numbers) => `naming_authority_id = ANY(${numbers}::int[]) AND id > 0`);
  where(
    filter.target,
    (target) => `target = ${target} AND hashtextextended(target, 0) = hashtextextended(${target}, 0)`,
  );
  where(filter.createdAfter, (time) => `created_at > ${time}`);
  where(filter.createdBefore, (time) => `created_at < ${time}`);
  if (filter.state !== undefined) conditions.push(IN_STATE[filter.state]);
  if (after !== undefined) {
    values.push(after.createdAt, after.id.toString());
    conditions.push(`(created_at, id) > ($${values.length - 1}::timestamptz, $${values.length}::bigint)`);
  }
  values.push(limit);
  const text = `
    SELECT * FROM (
      SELECT page.*, lead(true) OVER (ORDER BY created_at, id) IS NOT NULL AS has_next,
        coalesce(sum(
          octet_length(coalesce(metadata_id, '') || coalesce(target, '') || coalesce(local_name, ''))
            + octet_length(array_to_string(alternate_ids, ',')) + coalesce(octet_length(handle_values::text), 0)
            + coalesce(octet_length(replaces), 0)
            + octet_length(array_to_string(describes, ',')) + octet_length(array_to_string(newer_versions, ','))
        ) OVER (ORDER BY created_at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS octets_before
      FROM (
        SELECT id, naming_authority, guid, local_name, metadata_id, target, alternate_ids, state, version,
               created_at, updated_at, lease_until, expired, withdrawn_at, withdrawal_reason,
               replaced_by, replaces, handle_values, sandbox, resolver_scheme, resolver_authority, resolver_first_segment, describes, newer_versions
        FROM identifier_record
        WHERE ${conditions.length === 0 ? 'true' : conditions.join(' AND ')} ORDER BY created_at, id LIMIT $${values.length}
      ) page
    ) bounded
    WHERE octets_before < ${MAX_PAGE_OCTETS} ORDER BY created_at, id`;
  // Unnamed: the plan depends on the values.
  return { text, values };
}
