import { MAX_PAGE_BYTES, bytesOfRow } from '../bounded-page.js';
import { recordColumns } from './identifier-row.js';
import { type NumberedFilter, conditionsOf } from './page-filter.js';
import { type PageRange, indexConditions, rangeConditions } from './page-range.js';

interface Query {
  readonly text: string;
  readonly values: unknown[];
}

/**
 * The query of one page, with keyset pagination. Each index that serves a filter ends with the columns by which pages are ordered.
 * @param index the index of `endsQuery` to which the range belongs.
 */
export function pageQuery(filter: NumberedFilter, range: PageRange, limit: number, index = 0): Query {
  const values: unknown[] = [];
  const where = whereOf(filter, range, values, index);
  const order = range.order === 'createdAt' ? 'created_at, id' : 'created_at DESC, id DESC';
  values.push(limit);
  const text = `
    SELECT * FROM (
      SELECT page.*, lead(true) OVER (ORDER BY ${order}) IS NOT NULL AS has_next,
        coalesce(sum(
          ${bytesOfRow('page')}
            + octet_length(array_to_string(describes, ',')) + octet_length(array_to_string(newer_versions, ','))
        ) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
      FROM (
        SELECT ${recordColumns('r')}
        FROM identifier_record r
        WHERE ${where} ORDER BY ${order} LIMIT $${values.length}
      ) page
    ) bounded
    WHERE bytes_before < ${MAX_PAGE_BYTES} ORDER BY ${order}`;
  // The statement has no name, because its best plan depends on the values.
  return { text, values };
}

/** Counts the identifiers of a filter in a range, up to `limit`. @param index as for `pageQuery`. */
export function countQuery(filter: NumberedFilter, range: PageRange, limit: number, index: number): Query {
  const values: unknown[] = [];
  const where = whereOf(filter, range, values, index);
  values.push(limit);
  return {
    text: `SELECT count(*)::int AS count FROM (SELECT FROM identifier_record r WHERE ${where} LIMIT $${values.length}) counted`,
    values,
  };
}

/** Explains a query for the identifiers of a filter, to get the number that PostgreSQL estimates. */
export function estimateQuery(filter: NumberedFilter, range: PageRange): Query {
  const values: unknown[] = [];
  return {
    text: `EXPLAIN (FORMAT JSON) SELECT FROM identifier_record r WHERE ${whereOf(filter, range, values, 0)}`,
    values,
  };
}

function whereOf(filter: NumberedFilter, range: PageRange, values: unknown[], index: number): string {
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    ...conditionsOf(filter, add),
    ...rangeConditions(range, add),
    ...indexConditions(filter, range, index, add),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}
