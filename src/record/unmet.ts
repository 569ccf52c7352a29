/**
 * Nothing is in the way of a row `w` in a table. Looked up row by row, by an index: the words at the end keep the planner from
 * joining the tables instead, which it would do by the wrong index as long as it knows nothing of what is in them.
 */
export const unmet = (table: string, condition: string): string =>
  `NOT EXISTS (SELECT FROM ${table} x WHERE ${condition} OFFSET 0)`;

/** None of the alternates `a` of a row `w` of `wanted` has an identifier; all of them are looked up once, and as above. */
export function alternatesUnmet(alternates: string): string {
  const met = `NOT ${unmet('alternate_identifier', 'x.key = a.key AND x.naming_authority = v.naming_authority')}`;
  return `w.place NOT IN (SELECT a.place FROM ${alternates} JOIN wanted v USING (place) WHERE ${met})`;
}

/**
 * Leaves out a row `w` that no unique index would: what a naming authority does not allow, a key whose outcome is no identifier,
 * and a single mint, which stands at place 0, with the key of a stream, whose lines stand behind it.
 */
export const FREE_SQL = `
  (SELECT n.status = 'active' AND n.version = w.authority_version FROM naming_authority n WHERE n.prefix = w.naming_authority)
      AND (w.request_index <> 0 OR ${unmet('identifier', 'x.client = w.client AND x.request_key = w.request_key')})
      AND ${unmet('request', 'x.client = w.client AND x.key = w.request_key')}`;
