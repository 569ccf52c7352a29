/**
 * Octets of values after which a page ends before its limit: many clients can have a page that they do not read. The statements
 * count them, so that the process never has the rest.
 */
export const MAX_PAGE_OCTETS = 1_048_576;

/** Whether the query had a row after this one. */
export interface PageRow {
  readonly has_next: boolean;
}
