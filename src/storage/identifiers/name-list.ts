import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';

/** Maximum number of identifiers of a naming authority, in any state, whose names are listed. */
export const MAX_LISTED_NAMES = 100_000;

/** Maximum bytes of all local names together, because a list is kept in memory. */
const MAX_LISTED_BYTES = 8_388_608;

/** $1: the naming authority; $2: maximum number of rows to read. The conditions are a range of an index, in its order. */
export const COUNT_NAMES = `
  SELECT count(*)::int AS identifiers, count(*) FILTER (WHERE names.state = 'active')::int AS total,
         coalesce(sum(coalesce(octet_length(local_name), 32)), 0)::float8 AS bytes
  FROM naming_authority n CROSS JOIN LATERAL (
    SELECT i.state, i.local_name FROM identifier i
    WHERE i.id > 0 AND i.naming_authority_id >= n.id AND i.naming_authority_id <= n.id
    ORDER BY i.naming_authority_id, i.created_at, i.id LIMIT $2
  ) names
  WHERE n.prefix = $1`;

/** $1: the naming authority; $2: maximum number of rows to read; $3: whether names are in upper case; $4: the offset; $5: the limit. */
export const PAGE_OF_NAMES = `
  SELECT CASE WHEN local_name IS NULL THEN upper(replace(guid::text, '-', '')) COLLATE "C"
              WHEN $3 THEN upper(local_name) ELSE local_name END AS name
  FROM naming_authority n CROSS JOIN LATERAL (
    SELECT i.state, i.guid, i.local_name FROM identifier i
    WHERE i.id > 0 AND i.naming_authority_id >= n.id AND i.naming_authority_id <= n.id
    ORDER BY i.naming_authority_id, i.created_at, i.id LIMIT $2
  ) names
  WHERE n.prefix = $1 AND names.state = 'active'
  ORDER BY 1 OFFSET $4 LIMIT $5`;

/** A page of the active local names of a naming authority, in byte order. */
export interface NamePage {
  readonly total: number;
  readonly names: readonly string[];
}

/** Lists the local names of a naming authority. For each page, up to `MAX_LISTED_NAMES` names are sorted. */
@Injectable()
export class NameList {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** @returns null for a naming authority with more than `MAX_LISTED_NAMES` identifiers, or with too many bytes of names. */
  async page(prefix: string, foldsCase: boolean, offset: number, limit: number): Promise<NamePage | null> {
    const counted = await this.pool.query<{ identifiers: number; total: number; bytes: number }>(COUNT_NAMES, [
      prefix,
      MAX_LISTED_NAMES + 1,
    ]);
    const { identifiers, total, bytes } = counted.rows[0] ?? { identifiers: 0, total: 0, bytes: 0 };
    if (identifiers > MAX_LISTED_NAMES || bytes > MAX_LISTED_BYTES) return null;
    if (limit === 0 || offset >= total) return { total, names: [] };
    const values = [prefix, MAX_LISTED_NAMES, foldsCase, offset, Math.min(limit, MAX_LISTED_NAMES)];
    const { rows } = await this.pool.query<{ name: string }>(PAGE_OF_NAMES, values);
    return { total, names: rows.map(({ name }) => name) };
  }
}
