/**
 * Octets of values after which a page ends before its limit: a response is one string, and a record can have 1.6 MB. The
 * statements count them, so that the process never has the rest.
 */
export const MAX_PAGE_OCTETS = 8_388_608;

/** Whether the query had a row after this one. */
export interface PageRow {
  readonly has_next: boolean;
}
