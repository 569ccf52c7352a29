import { arrayParameter } from './inserted-columns.js';

/**
 * Nothing is in the way of a row `w` in a table. Looked up row by row, by an index: the words at the end keep the planner from
 * joining the tables instead, which it would do by the wrong index as long as it knows nothing of what is in them.
 */
export const notExists = (table: string, condition: string): string =>
  `NOT EXISTS (SELECT FROM ${table} x WHERE ${condition} OFFSET 0)`;

export function noAlternateTaken(alternates: string): string {
  const isTaken = `NOT ${notExists('alternate_identifier', 'x.key = a.key AND x.naming_authority = v.naming_authority')}`;
  return `w.ordinal NOT IN (SELECT a.ordinal FROM ${alternates} JOIN input v USING (ordinal) WHERE ${isTaken})`;
}

/**
 * Leaves out a row `w` that no unique index would: what a naming authority does not allow, and a place in a request that has a
 * result, or whose Idempotency-Key another request uses or has used (see the function in the migrations).
 * @param usable whether the place of the row is usable, in SQL; not evaluated for a row without a key.
 */
const insertable = (usable: string): string => `
  (SELECT n.status = 'active' AND n.version = w.authority_version FROM naming_authority n WHERE n.prefix = w.naming_authority)
      AND (w.request_key IS NULL OR ${usable})`;

export const INSERTABLE_ONE_SQL = insertable(
  'EXISTS (SELECT FROM usable_request_places(ARRAY[w.client], ARRAY[w.request_key], ARRAY[w.request_index]))',
);

/** For the rows of `input`, whose keys are locked by one call. */
export const INSERTABLE_SQL = insertable(
  `w.ordinal + 1 IN (SELECT usable_request_places(${arrayParameter('client')}::text[], ${arrayParameter('request_key')}::text[], ${arrayParameter('request_index')}::int[]))`,
);
