import { bytea } from '../../registry/digest.js';
import type { IdentifierRecord, State } from '../../registry/identifier-record.js';
import { boundedPage } from '../bounded-page.js';
import { EXPIRED_SQL, RECORD_COLUMNS_SQL, RECORD_TABLES_SQL } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';

export interface PageFilter {
  readonly metadataKey?: CanonicalName['key'] | undefined;
  readonly alternateKey?: CanonicalName['key'] | undefined;
  readonly namingAuthority?: string | undefined;
  /** The visible naming authorities; absent where all are visible. */
  readonly namingAuthorities?: readonly string[] | undefined;
  readonly state?: State | undefined;
  readonly target?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

export type PageCursor = Pick<IdentifierRecord, 'createdAt' | 'id'>;

/** Conditions on the current state, in the words of its partial index. */
const IN_STATE: Readonly<Record<State, string>> = {
  active: "i.state = 'active'",
  reserved: `i.state <> 'active' AND i.state = 'reserved' AND NOT ${EXPIRED_SQL}`,
  withdrawn: `i.state <> 'active' AND (i.state = 'withdrawn' OR ${EXPIRED_SQL})`,
};

/** The values of a row without a limit of a few KB. */
const OCTETS = `octet_length(coalesce("metadataId", '') || coalesce(target, '') || coalesce("localName", ''))
  + octet_length(array_to_string("alternateIds", ',')) + octet_length(array_to_string(describes, ','))`;

/** The query of one page, with keyset pagination. Every filter has an index that ends with the order of the pages. */
export function pageQuery(
  filter: PageFilter,
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
  where(filter.metadataKey && bytea(filter.metadataKey), (key) => `i.metadata_key = ${key} AND NOT ${EXPIRED_SQL}`);
  where(
    filter.alternateKey && bytea(filter.alternateKey),
    (key) => `i.id IN (SELECT a.identifier_id FROM alternate_identifier a WHERE a.key = ${key}) AND NOT ${EXPIRED_SQL}`,
  );
  where(filter.namingAuthority, (prefix) => `i.naming_authority = ${prefix} AND i.id > 0`);
  where(filter.namingAuthorities, (prefixes) => `i.naming_authority = ANY(${prefixes}::text[]) AND i.id > 0`);
  where(filter.target, (target) => `i.target = ${target}`);
  where(filter.createdAfter, (time) => `i.created_at > ${time}`);
  where(filter.createdBefore, (time) => `i.created_at < ${time}`);
  if (filter.state !== undefined) conditions.push(IN_STATE[filter.state]);
  if (after !== undefined) {
    values.push(after.createdAt, after.id.toString());
    conditions.push(`(i.created_at, i.id) > ($${values.length - 1}::timestamptz, $${values.length}::bigint)`);
  }
  values.push(limit);
  const query = `SELECT ${RECORD_COLUMNS_SQL} FROM ${RECORD_TABLES_SQL}
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`} ORDER BY i.created_at, i.id LIMIT $${values.length}`;
  const text = boundedPage(query, '"createdAt", id', OCTETS);
  // Unnamed: the plan depends on the values.
  return { text, values };
}
