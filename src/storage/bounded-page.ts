/** Octets of values after which a page ends before its limit: a response is one string, and a record can have 1.6 MB. */
const MAX_PAGE_OCTETS = 8 * 1024 * 1024;

/** Whether the query had a row after this one. */
export interface PageRow {
  readonly hasNext: boolean;
}

/**
 * Ends the rows of a query after `MAX_PAGE_OCTETS`, with at least one row. The octets are counted in the database, so
 * that the process never has the rest. Each row has the column `hasNext`.
 * @param order columns of the query, its unique order.
 * @param octets the octets of a row, an expression on columns of the query.
 */
export function boundedPage(query: string, order: string, octets: string): string {
  return `SELECT * FROM (
      SELECT page.*, lead(true) OVER (ORDER BY ${order}) IS NOT NULL AS "hasNext",
        coalesce(sum(${octets}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (${query}) page
    ) bounded WHERE before < ${MAX_PAGE_OCTETS} ORDER BY ${order}`;
}
