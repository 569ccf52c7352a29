import type { CanonicalName } from '../../registry/canonical-name.js';
import type { State } from '../../registry/identifier-record.js';
import type { Add } from '../statement.js';

/** A filter for identifiers; all given members must match. */
export interface PageFilter {
  readonly metadata?: CanonicalName | undefined;
  /** The same text as an opaque metadata ID. Records with this ID or with `metadata` match. */
  readonly opaqueMetadata?: CanonicalName | undefined;
  readonly hasMetadata?: boolean | undefined;
  readonly alternate?: CanonicalName | undefined;
  readonly namingAuthority?: string | undefined;
  /** The visible naming authorities; absent if all are visible. */
  readonly namingAuthorities?: readonly string[] | undefined;
  readonly state?: State | undefined;
  readonly target?: string | undefined;
  readonly hasTarget?: boolean | undefined;
  /** The naming authorities whose hidden values the principal sees; absent for all. */
  readonly curated?: readonly string[] | undefined;
  /** The start of the target, as stored. */
  readonly targetPrefix?: string | undefined;
  /** A client that made a change after the creation of the identifier. */
  readonly changedBy?: string | undefined;
  /** The earliest time of minting, inclusive. */
  readonly createdFrom?: Date | undefined;
  /** The end of the range of times of minting, exclusive. */
  readonly createdBefore?: Date | undefined;
}

/** A filter with the numbers of naming authorities. PostgreSQL uses the statistics of these numbers to choose the index. */
export type NumberedFilter = Omit<PageFilter, 'namingAuthority' | 'namingAuthorities' | 'curated'> & {
  readonly curatedIds?: readonly number[] | undefined;
  readonly namingAuthorityId?: number | undefined;
  readonly namingAuthorityIds?: readonly number[] | undefined;
};

/** Maximum number of naming authorities whose lists in the index are read one by one. */
export const MAX_LISTS = 100;

/** The condition of the index of identifiers without a metadata ID. */
export const WITHOUT_METADATA = "(metadata_key IS NULL OR state = 'reserved')";

/** Conditions on the current state. Two repeat `state <> 'active'`, so that PostgreSQL can use the partial indexes with this condition. */
const IN_STATE: Readonly<Record<State, string>> = {
  active: "state = 'active'",
  reserved: "state <> 'active' AND state = 'reserved' AND NOT expired",
  withdrawn: "state <> 'active' AND (state = 'withdrawn' OR expired)",
};

/** The kinds of events that create an identifier, which are not changes. */
const CREATIONS = "'minted', 'registered', 'reserved', 'imported'";

/**
 * The conditions of a filter, without its times of minting, on the view `identifier_record` as `r`. With `OFFSET 0`, PostgreSQL searches
 * the history with an index look-up for each row.
 */
export function conditionsOf(filter: NumberedFilter, add: Add): string[] {
  const { metadata, alternate, namingAuthorityId, namingAuthorityIds, target, targetPrefix, changedBy, state } = filter;
  const conditions: string[] = [];
  const [metadataKey, opaqueKey] = [metadata, filter.opaqueMetadata].flatMap((name) => name?.key ?? []);
  if (opaqueKey !== undefined) {
    const ids = `SELECT i.id FROM unnest(${add([metadataKey, opaqueKey])}::uuid[]) AS k(key)
      CROSS JOIN LATERAL (SELECT x.id FROM identifier x WHERE x.metadata_key = k.key OFFSET 0) i`;
    conditions.push(`id = ANY(ARRAY(${ids})) AND NOT expired`);
  } else if (metadataKey !== undefined) conditions.push(`metadata_key = ${add(metadataKey)} AND NOT expired`);
  if (alternate !== undefined) {
    const ids = `SELECT a.identifier_id FROM alternate_identifier a WHERE a.key = ${add(alternate.key)}`;
    conditions.push(`id IN (${ids}) AND NOT expired`);
  }
  if (namingAuthorityId !== undefined) conditions.push(`naming_authority_id = ${add(namingAuthorityId)} AND id > 0`);
  if (namingAuthorityIds !== undefined) {
    conditions.push(`naming_authority_id = ANY(${add(namingAuthorityIds)}::int[]) AND id > 0`);
  }
  if (target !== undefined) {
    const text = add(target);
    conditions.push(`target = ${text} AND hashtextextended(target, 0) = hashtextextended(${text}, 0)`);
  }
  if (filter.curatedIds !== undefined && isOfHidden(filter)) {
    const curated = `naming_authority_id = ANY(${add(filter.curatedIds)}::int[])`;
    conditions.push(`(withdrawal_reason_code IS DISTINCT FROM 'legal' OR ${curated})`);
  }
  if (state !== undefined) conditions.push(IN_STATE[state]);
  if (filter.hasMetadata === false) conditions.push(WITHOUT_METADATA, '(metadata_key IS NULL OR expired)');
  if (filter.hasMetadata === true) conditions.push('metadata_key IS NOT NULL AND NOT expired');
  if (filter.hasTarget !== undefined) conditions.push(`target IS ${filter.hasTarget ? 'NOT ' : ''}NULL`);
  if (targetPrefix !== undefined) conditions.push(`starts_with(target, ${add(targetPrefix)})`);
  if (changedBy !== undefined) {
    conditions.push(`version > 1 AND EXISTS (
      SELECT FROM change c WHERE c.identifier_id = r.id AND c.client = ${add(changedBy)} AND c.kind NOT IN (${CREATIONS}) OFFSET 0)`);
  }
  return conditions;
}

/** Whether a filter tests values, or the absence of values, that are hidden for identifiers withdrawn for legal reasons. */
function isOfHidden(filter: NumberedFilter): boolean {
  const { target, targetPrefix, hasTarget, hasMetadata } = filter;
  return hasName(filter) || [target, targetPrefix, hasTarget, hasMetadata].some((value) => value !== undefined);
}

/** Whether a filter has a name, which at most one identifier in each naming authority has. */
export function hasName({ metadata, opaqueMetadata, alternate }: Omit<PageFilter, 'curated'>): boolean {
  return metadata !== undefined || opaqueMetadata !== undefined || alternate !== undefined;
}

/** Whether an index has the rows of a filter in order, with few others. For other filters, a page compares a limited number of rows. */
export function isServed(filter: PageFilter): boolean {
  if (hasName(filter)) return true;
  const { namingAuthority, namingAuthorities, target, hasTarget, hasMetadata } = filter;
  const isGiven = (value: unknown) => value !== undefined;
  if ([filter.state, filter.targetPrefix, filter.changedBy].some(isGiven) || hasTarget === true || hasMetadata === true)
    return false;
  const indexes = [namingAuthority ?? namingAuthorities, target, hasTarget, hasMetadata].filter(isGiven);
  return indexes.length < 2 && (namingAuthority !== undefined || (namingAuthorities ?? []).length <= MAX_LISTS);
}
