import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { inSession } from '../../database/connection-pool.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import { type Add, type Query, queryOf } from '../statement.js';

/** Time limit of a search, because a wildcard is compared with each identifier of the searched naming authorities. */
export const MAX_SEARCH_MS = 2000;

/** Maximum bytes of all names of a result together, because a result is kept in memory. */
const MAX_RESULT_BYTES = 8_388_608;

/** A condition on the values of a record. Targets and metadata IDs have an index; a pattern is compared with each record. */
export type SearchTerm =
  | { readonly kind: 'target'; readonly target: string }
  /** The text as a recognized and as an opaque metadata ID; at least one of them is defined. */
  | {
      readonly kind: 'metadata';
      readonly name?: CanonicalName | undefined;
      readonly opaque?: CanonicalName | undefined;
    }
  | {
      readonly kind: 'pattern';
      /** The type of the compared values, in upper case. */
      readonly type: string;
      /** Each "*" matches any text; other characters match themselves. */
      readonly pattern: string;
    };

export interface ValueQuery {
  readonly terms: readonly SearchTerm[];
  /** The searched naming authorities; null for all. */
  readonly namingAuthorities: readonly string[] | null;
  readonly offset: number;
  readonly limit: number;
}

export interface FoundName {
  readonly id: bigint;
  /** `NA/local`, in upper case if the naming authority ignores case. */
  readonly handle: string;
}

/** `slow`: the search exceeded `MAX_SEARCH_MS`; `large`: the names that it found have too many bytes. */
export type SearchResult = readonly FoundName[] | 'slow' | 'large';

/** Finds active identifiers by values that are publicly readable. */
@Injectable()
export class ValueSearch {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** Finds identifiers in order of minting. */
  async find(query: ValueQuery): Promise<SearchResult> {
    const rows = await inSession(this.pool, async (client) => {
      await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${MAX_SEARCH_MS}`);
      const search = client.query<{ id: string; name: string; bytes: number }>(searchQuery(query));
      const found = await search.catch((error: unknown) => {
        if (error instanceof pg.DatabaseError && error.code === '57014') return null;
        throw error;
      });
      // Ends even a transaction that has failed.
      await client.query('COMMIT');
      return found?.rows ?? null;
    });
    if (rows === null) return 'slow';
    if ((rows.at(-1)?.bytes ?? 0) > MAX_RESULT_BYTES) return 'large';
    return rows.map(({ id, name }) => ({ id: BigInt(id), handle: name }));
  }
}

/** Builds the query. The result ends with the first row that exceeds `MAX_RESULT_BYTES`. */
export function searchQuery({ terms, namingAuthorities, offset, limit }: ValueQuery): Query {
  return queryOf((add) => {
    const conditions = terms.map((term) => conditionOf(term, add));
    if (namingAuthorities !== null) {
      const ids = `SELECT a.id FROM naming_authority a WHERE a.prefix = ANY(${add(namingAuthorities)}::text[])`;
      conditions.push(`i.naming_authority_id = ANY(ARRAY(${ids})) AND i.id > 0`);
    }
    return `
    SELECT id, name, bytes::float8 FROM (
      SELECT id, created_at, name, octet_length(name) AS own,
             sum(octet_length(name)) OVER (ORDER BY created_at, id ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT i.id, i.created_at,
               CASE WHEN n.case_insensitive THEN upper(n.prefix COLLATE "C") ELSE n.prefix END || '/' ||
               CASE WHEN i.local_name IS NULL THEN upper(replace(i.guid::text, '-', ''))
                    WHEN n.case_insensitive THEN upper(i.local_name COLLATE "C") ELSE i.local_name END AS name
        FROM identifier i JOIN naming_authority n ON n.id = i.naming_authority_id
        WHERE ${["i.state = 'active'", ...conditions].join(' AND ')}
        ORDER BY i.created_at, i.id OFFSET ${add(offset)} LIMIT ${add(limit)}
      ) found
    ) bounded
    WHERE bytes - own <= ${MAX_RESULT_BYTES} ORDER BY created_at, id`;
  });
}

function conditionOf(term: SearchTerm, add: Add): string {
  if (term.kind === 'target') {
    const target = add(term.target);
    return `i.target = ${target} AND hashtextextended(i.target, 0) = hashtextextended(${target}, 0)`;
  }
  if (term.kind === 'metadata') {
    const conditions: string[] = [];
    if (term.name !== undefined) {
      const [key, name, rule] = [add(term.name.key), add(term.name.canonical), add(term.name.rule)];
      const isSame = `compared_name(i.metadata_id, ${rule}) = compared_name(${name}, ${rule})`;
      conditions.push(`i.metadata_key = ${key} AND ${isSame}`);
    }
    if (term.opaque !== undefined) {
      conditions.push(`i.metadata_key = ${add(term.opaque.key)} AND i.metadata_id = ${add(term.opaque.canonical)}`);
    }
    return `(${conditions.join(' OR ')})`;
  }
  const pattern = `${add(likePattern(term.pattern))}::text`;
  if (term.type === 'METADATA_ID') return `i.metadata_id LIKE ${pattern}`;
  const isOfType = `upper(v ->> 'type' COLLATE "C") = ${add(term.type)}`;
  const stored = `EXISTS (SELECT FROM jsonb_array_elements(i.handle_values) v WHERE ${isOfType} AND ${IS_PUBLIC} AND ${TEXT} LIKE ${pattern})`;
  if (term.type === 'URL') return `(i.target LIKE ${pattern} OR ${stored})`;
  if (term.type !== 'HS_ADMIN') return stored;
  const hasStored = `EXISTS (SELECT FROM jsonb_array_elements(i.handle_values) v WHERE ${isOfType})`;
  return `(${stored} OR ('0.NA/' || n.prefix LIKE ${pattern} AND NOT ${hasStored}))`;
}

/** The same rule as `isShown` of the registry. It includes secret keys, because `/hrls` rejects searches for them. */
const IS_PUBLIC = "v ->> 'permissions' LIKE '__1_'";

/** SQL: the text of a value, which is the Handle of an administrator, else the data. */
const TEXT = "coalesce(v #>> '{data,value,handle}', v #>> '{data,value}')";

function likePattern(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replace(/\*+/g, '%');
}
