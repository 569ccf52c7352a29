import { type Add, MAX_PAGE_BYTES, type Query, bytesOfRow, queryOf } from '../statement.js';
import { recordColumns } from './identifier-row.js';
import { type NumberedFilter, conditionsOf } from './page-filter.js';
import { type PageRange, indexConditions, rangeConditions } from './page-range.js';

/** The query of one page, with keyset pagination. Each index that serves a filter ends with the columns by which pages are ordered. */
export function pageQuery(filter: NumberedFilter, range: PageRange, limit: number, index = 0): Query {
  const order = range.order === 'createdAt' ? 'created_at, id' : 'created_at DESC, id DESC';
  return queryOf(
    (add) => `
    SELECT * FROM (
      SELECT page.*, lead(true) OVER (ORDER BY ${order}) IS NOT NULL AS has_next,
        coalesce(sum(
          ${bytesOfRow('page')}
            + octet_length(array_to_string(describes, ',')) + octet_length(array_to_string(newer_versions, ','))
        ) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
      FROM (
        SELECT ${recordColumns('r')}
        FROM identifier_record r
        WHERE ${whereOf(filter, range, index, add)} ORDER BY ${order} LIMIT ${add(limit)}
      ) page
    ) bounded
    WHERE bytes_before < ${MAX_PAGE_BYTES} ORDER BY ${order}`,
  );
}

/** Counts the identifiers of a filter in a range, up to `limit`. */
export function countQuery(filter: NumberedFilter, range: PageRange, limit: number, index: number): Query {
  return queryOf((add) => {
    const where = whereOf(filter, range, index, add);
    return `SELECT count(*)::int AS count FROM (SELECT FROM identifier_record r WHERE ${where} LIMIT ${add(limit)}) counted`;
  });
}

/** A query whose rows PostgreSQL can estimate: the identifiers of a filter. */
export function matchesQuery(filter: NumberedFilter, range: PageRange): Query {
  return queryOf((add) => `SELECT FROM identifier_record r WHERE ${whereOf(filter, range, 0, add)}`);
}

function whereOf(filter: NumberedFilter, range: PageRange, index: number, add: Add): string {
  const conditions = [
    ...conditionsOf(filter, add),
    ...rangeConditions(range, add),
    ...indexConditions(filter, range, index, add),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}
