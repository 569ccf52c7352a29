import { TEXTS } from '../registry/members.js';

/**
 * Bytes of values after which a page ends before its limit, because the pages of many slow clients can be in memory at once. Statements
 * count the bytes, so that the process never receives the rest.
 */
export const MAX_PAGE_BYTES = 1_048_576;

/** SQL for the bytes of the texts and values of a row of `identifier`. */
export function bytesOfRow(row: string): string {
  const texts = ['metadata_id', ...TEXTS.map(({ column }) => column), 'local_name'];
  return `(octet_length(${texts.map((column) => `coalesce(${row}.${column}, '')`).join(' || ')})
    + octet_length(coalesce(array_to_string(${row}.alternate_ids, ','), '')) + octet_length(coalesce(${row}.previous_version, ''))
    + octet_length(coalesce(${row}.handle_values::text, '')))`;
}

/** `has_next` is true if the query found a row after this one. */
export interface PageRow {
  readonly has_next: boolean;
}
