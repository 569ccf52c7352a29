import type { Sessions } from '../../database/replica/server-state.js';
import { arrayOf } from '../statement.js';
import type { Digest } from '../../registry/uuid.js';

/** Maximum number of searches of a process per second. A search takes about a millisecond of the database. */
const MAX_SEARCHES_PER_SECOND = 100;

export interface NearSearch {
  readonly namingAuthority: string;
  /** GUIDs or digests of local names, most likely first. */
  readonly guids: readonly string[];
  readonly localKeys: readonly Digest[];
  /** The digits at the start of a GUID, or null. */
  readonly start: string | null;
}

/**
 * $1: the naming authority; $2 and $3: the keys; $4 and $5: the range of GUIDs with `start`. Each key is looked up in a unique index, and
 * the range reads at most two rows, so the cost does not grow with the table. For OFFSET 0, see "Planner assumptions" in architecture.md.
 */
export const NEAR = `
  WITH authority AS MATERIALIZED (SELECT n.id FROM naming_authority n WHERE n.prefix = $1)
  SELECT near.nearness::int, coalesce(near.local_name, upper(replace(near.guid::text, '-', ''))) AS name
  FROM (
    SELECT w.nearness, i.guid, i.local_name, i.state
    FROM unnest($2::uuid[]) WITH ORDINALITY AS w(guid, nearness) CROSS JOIN LATERAL (
      SELECT x.guid, x.local_name, x.state FROM identifier x
      WHERE x.guid = w.guid AND x.naming_authority_id = (SELECT id FROM authority) OFFSET 0
    ) i
    UNION ALL
    SELECT w.nearness, i.guid, i.local_name, i.state
    FROM unnest($3::uuid[]) WITH ORDINALITY AS w(local_key, nearness) CROSS JOIN LATERAL (
      SELECT x.guid, x.local_name, x.state FROM identifier x
      WHERE x.local_key = w.local_key AND x.naming_authority_id = (SELECT id FROM authority) OFFSET 0
    ) i
    UNION ALL
    (SELECT 0, x.guid, x.local_name, x.state FROM identifier x
     WHERE x.guid BETWEEN $4::uuid AND $5::uuid AND x.naming_authority_id = (SELECT id FROM authority)
     ORDER BY x.guid LIMIT 2)
  ) near
  WHERE near.state = 'active' ORDER BY 1 LIMIT 3`;

/** Finds the registered name nearest to an unregistered one, within a limit of searches per second. */
export class NearIdentifiers {
  private second = 0;
  private left = 0;

  constructor(private readonly pool: Sessions) {}

  /**
   * @param searchOf computes the names, up to 600 of them as digests. It is called only within the limit.
   * @returns the local name of an active identifier; null if there is none, if two GUIDs are equally near, if the limit is reached, or if
   * the statement fails, because the response is complete without this name.
   */
  async find(searchOf: () => NearSearch): Promise<string | null> {
    if (!this.takesOne()) return null;
    const { namingAuthority, guids, localKeys, start } = searchOf();
    if (guids.length === 0 && localKeys.length === 0 && start === null) return null;
    const range = start === null ? [null, null] : [start.padEnd(32, '0'), start.padEnd(32, 'F')];
    const values = [namingAuthority, arrayOf(guids), arrayOf(localKeys), ...range];
    const found = await this.pool
      .query<{ nearness: number; name: string }>({ name: 'near-names', text: NEAR, values })
      .catch(() => null);
    const names = found?.rows ?? [];
    // Two GUIDs with the same digits at the start are equally near.
    const [first, second] = names;
    return first?.nearness === 0 && second?.nearness === 0 ? null : (first?.name ?? null);
  }

  private takesOne(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.left = MAX_SEARCHES_PER_SECOND;
    }
    this.left -= 1;
    return this.left >= 0;
  }
}
