/**
 * Octets of values after which a page ends before its limit: many clients can have a page that they do not read. The statements
 * count them, so that the process never has the rest.
 */
export const MAX_PAGE_OCTETS = 1_048_576;

/** SQL: the octets of the texts and values of a row of `identifier`. */
export function octetsOfRow(row: string): string {
  return `(octet_length(coalesce(${row}.metadata_id, '') || coalesce(${row}.target, '') || coalesce(${row}.local_name, ''))
    + octet_length(coalesce(array_to_string(${row}.alternate_ids, ','), '')) + octet_length(coalesce(${row}.replaces, ''))
    + octet_length(coalesce(${row}.handle_values::text, '')))`;
}

/** Whether the query had a row after this one. */
export interface PageRow {
  readonly has_next: boolean;
}
