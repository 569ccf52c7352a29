import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { Sessions } from '../../database/replica/server-state.js';
import { MAX_PAGE_BYTES, arrayOf, bytesOfRow, hiddenArrays } from '../statement.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { type IdentifierRow, recordColumns, recordOf } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';

/** The properties of a record that a text can match, in order of preference, as in the statement. */
export const MATCHED_BY = ['identifier', 'metadataId', 'alternateId', 'target'] as const;
export type MatchedBy = (typeof MATCHED_BY)[number];

/** Maximum number of candidates for a bare GUID or a target. */
export const MAX_CANDIDATES = 10;

/** Maximum number of keys of a statement. With more keys, PostgreSQL without statistics could read the entire table. */
const MAX_KEYS = 100;

/** One interpretation of a text: a name, a GUID under any naming authority, or a target. */
export interface SearchKey {
  readonly address?: Address | null;
  readonly name?: CanonicalName;
  /** The text as an opaque metadata ID. It is searched together with the name. */
  readonly opaque?: CanonicalName;
  readonly guid?: string;
  readonly target?: string;
}

export interface Match {
  readonly reading: number;
  readonly matchedBy: MatchedBy;
  readonly identifier: string;
}

export interface Matches {
  readonly matches: readonly Match[];
  readonly record: IdentifierRecord | null;
}

const NO_MATCHES: Matches = { matches: [], record: null };

type NumberedKey = SearchKey & { readonly ordinal: number; readonly reading: number };

interface MatchColumns {
  readonly ordinal: number;
  readonly reading: number;
  readonly matched_by: MatchedBy;
  readonly identifier: string;
}

/** `isCut`: earlier records already have too many bytes. */
type MatchRow = MatchColumns & ((IdentifierRow & { readonly isCut: false }) | { readonly isCut: true });

interface FoundTexts {
  readonly matches: ReadonlyMap<number, Matches>;
  /** Ordinal of the first text whose record was not read, or Infinity. */
  readonly end: number;
}

/** SQL: whether the values of a row are visible to the principal. */
const isSearched = (row: 'i' | 'x'): string =>
  `(${row}.withdrawal_reason_code IS DISTINCT FROM 'legal' OR (SELECT $14::text[]) IS NULL OR ${row}.naming_authority_id IN (SELECT id FROM curated))`;

/** SQL: whether a row belongs to a searched naming authority. */
const isVisible = (row: string): string =>
  `((SELECT $13::text[]) IS NULL OR ${row}naming_authority_id IN (SELECT id FROM visible))`;

/**
 * $1: ordinals of texts; $2: ordinals of their keys; $3 to $8: the keys; $9 and $10: the names of the keys; $11: opaque metadata IDs,
 * compared byte by byte; $12: the rules of name comparison; $13: the searched naming authorities, null for all; $14: the naming authorities
 * whose hidden values are searched, null for all. Only the record of the first match of each text is read, up to `MAX_PAGE_BYTES`; later
 * texts have a row without a record. For OFFSET 0, see "Planner assumptions" in architecture.md.
 */
const FIND = `
  WITH input AS (
    SELECT w.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority) AS naming_authority_id
    FROM unnest(${hiddenArrays('int', 'int', 'text', 'uuid', 'uuid', 'uuid', 'uuid', 'text', 'text', 'text', 'text', 'text')})
      AS w(ordinal, reading, naming_authority, guid, local_key, key, bare_guid, target, name, local_name, opaque, rule)
  ), visible AS MATERIALIZED (
    SELECT n.id FROM naming_authority n WHERE n.prefix = ANY((SELECT $13::text[])::text[])
  ), curated AS MATERIALIZED (
    SELECT n.id FROM naming_authority n WHERE n.prefix = ANY((SELECT $14::text[])::text[])
  ), found AS (
    SELECT w.ordinal, w.reading, 1 AS nearness, 'identifier' AS matched_by,
           i.id, i.created_at, i.naming_authority_id, i.local_name, i.guid
    FROM input w JOIN identifier i ON i.naming_authority_id = w.naming_authority_id AND i.guid = w.guid
    UNION ALL
    SELECT w.ordinal, w.reading, 1, 'identifier', i.id, i.created_at, i.naming_authority_id, i.local_name, i.guid
    FROM input w JOIN identifier i ON i.local_key = w.local_key AND i.naming_authority_id = w.naming_authority_id
    WHERE lower(i.local_name) = lower(w.local_name COLLATE "C")
    UNION ALL
    SELECT w.ordinal, w.reading, 1, 'identifier', i.id, i.created_at, i.naming_authority_id, i.local_name, i.guid
    FROM input w CROSS JOIN LATERAL (
      SELECT * FROM (SELECT * FROM identifier x WHERE x.guid = w.bare_guid OFFSET 0) y
      WHERE ${isVisible('y.')}
      ORDER BY y.created_at, y.id LIMIT ${MAX_CANDIDATES}
    ) i
    UNION ALL
    SELECT w.ordinal, w.reading, 2, 'metadataId', i.id, i.created_at, i.naming_authority_id, i.local_name, i.guid
    FROM input w CROSS JOIN LATERAL (SELECT * FROM identifier x WHERE x.metadata_key = w.key OFFSET 0) i
    WHERE (compared_name(i.metadata_id, w.rule) = compared_name(w.name, w.rule) OR i.metadata_id = w.opaque)
      AND NOT (i.state = 'reserved' AND i.lease_until <= CURRENT_TIMESTAMP) AND ${isSearched('i')}
    UNION ALL
    SELECT w.ordinal, w.reading, 3, 'alternateId', i.id, i.created_at, i.naming_authority_id, i.local_name, i.guid
    FROM input w
    CROSS JOIN LATERAL (SELECT x.identifier_id FROM alternate_identifier x WHERE x.key = w.key OFFSET 0) a
    JOIN identifier i ON i.id = a.identifier_id
    WHERE EXISTS (SELECT FROM unnest(i.alternate_ids) AS b(name) WHERE compared_name(b.name, w.rule) = compared_name(w.name, w.rule))
      AND NOT (i.state = 'reserved' AND i.lease_until <= CURRENT_TIMESTAMP) AND ${isSearched('i')}
    UNION ALL
    SELECT w.ordinal, w.reading, 4, 'target', i.id, i.created_at, i.naming_authority_id, i.local_name, i.guid
    FROM input w CROSS JOIN LATERAL (
      SELECT * FROM identifier x
      WHERE x.target = w.target AND hashtextextended(x.target, 0) = hashtextextended(w.target, 0)
        AND ${isVisible('x.')} AND ${isSearched('x')}
      ORDER BY x.created_at, x.id LIMIT ${MAX_CANDIDATES}
    ) i
  ), ordered AS (
    SELECT ordinal, reading, matched_by, id,
           (SELECT n.prefix FROM naming_authority n WHERE n.id = naming_authority_id)
             || '/' || coalesce(local_name, upper(replace(guid::text, '-', ''))) AS identifier,
           min(reading) OVER (PARTITION BY ordinal) AS first_reading,
           row_number() OVER (PARTITION BY ordinal ORDER BY reading, nearness, created_at, id) AS number
    FROM found
    WHERE ${isVisible('')}
  ), measured AS (
    SELECT o.*, octet_length(o.identifier) + coalesce((
             SELECT ${bytesOfRow('i')} FROM identifier i WHERE i.id = o.id AND o.number = 1
           ), 0) AS bytes
    FROM ordered o WHERE o.reading = o.first_reading
  ), bounded AS (
    SELECT m.*, coalesce(sum(m.bytes) OVER (ORDER BY m.ordinal RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
             >= ${MAX_PAGE_BYTES} AS is_cut
    FROM measured m
  )
  SELECT o.ordinal, o.reading, o.matched_by, o.identifier, o.is_cut AS "isCut", r.*
  FROM bounded o LEFT JOIN LATERAL (
    SELECT ${recordColumns('x')}
    FROM identifier_record x WHERE x.id = o.id AND o.number = 1 AND NOT o.is_cut OFFSET 0
  ) r ON true
  WHERE NOT o.is_cut OR o.number = 1 ORDER BY o.ordinal, o.number`;

/** The searched naming authorities; a null member means all. */
export interface Searched {
  readonly visible: readonly string[] | null;
  /** The naming authorities in which even the hidden values of identifiers withdrawn for legal reasons are found. */
  readonly curated: readonly string[] | null;
}

const EVERYWHERE: Searched = { visible: null, curated: null };

/** Finds records for many texts at once. */
@Injectable()
export class IdentifierSearch {
  constructor(@Inject(pg.Pool) private readonly pool: Sessions) {}

  /**
   * Finds the records that each text matches by its first key with a match.
   * @returns the matches of each text, in order. If the records are large, returns only those of the first texts, at least of one.
   */
  async find(texts: readonly (readonly SearchKey[])[], where: Searched = EVERYWHERE): Promise<Matches[]> {
    const keys = texts.reduce((sum, [first]) => sum + (first?.opaque === undefined ? 1 : 2), 0);
    if (keys > MAX_KEYS && texts.length > 1) {
      const half = Math.ceil(texts.length / 2);
      const found = await this.find(texts.slice(0, half), where);
      return found.length < half ? found : [...found, ...(await this.find(texts.slice(half), where))];
    }
    const searched = texts.flatMap((own, ordinal) =>
      own.flatMap(({ opaque, ...key }, reading): NumberedKey[] => [
        ...(Object.keys(key).length === 0 ? [] : [{ ordinal, reading, ...key }]),
        ...(opaque === undefined ? [] : [{ ordinal, reading, opaque }]),
      ]),
    );
    // Most texts match by their first key, and the other keys take four times as long.
    const first = await this.findKeys(
      searched.filter(({ reading }) => reading === 0),
      where,
    );
    const others = await this.findKeys(
      searched.filter(({ ordinal, reading }) => reading > 0 && ordinal < first.end && !first.matches.has(ordinal)),
      where,
    );
    return texts
      .slice(0, Math.min(first.end, others.end))
      .map((_, ordinal) => first.matches.get(ordinal) ?? others.matches.get(ordinal) ?? NO_MATCHES);
  }

  private async findKeys(keys: readonly NumberedKey[], { visible, curated }: Searched): Promise<FoundTexts> {
    if (keys.length === 0) return { matches: new Map(), end: Infinity };
    const values = [
      arrayOf(keys.map(({ ordinal }) => ordinal)),
      arrayOf(keys.map(({ reading }) => reading)),
      arrayOf(keys.map(({ address }) => address?.namingAuthority ?? null)),
      arrayOf(keys.map(({ address }) => address?.guid ?? null)),
      arrayOf(keys.map(({ address }) => address?.localKey ?? null)),
      arrayOf(keys.map(({ name, opaque }) => (name ?? opaque)?.key ?? null)),
      arrayOf(keys.map(({ guid }) => guid ?? null)),
      arrayOf(keys.map(({ target }) => target ?? null)),
      arrayOf(keys.map(({ name }) => name?.canonical ?? null)),
      arrayOf(keys.map(({ address }) => address?.comparison ?? null)),
      arrayOf(keys.map(({ opaque }) => opaque?.canonical ?? null)),
      arrayOf(keys.map(({ name }) => name?.rule ?? null)),
      visible,
      curated,
    ];
    const { rows } = await this.pool.query<MatchRow>({ name: 'find-names', text: FIND, values });
    const found = new Map<number, { matches: Match[]; record: IdentifierRecord | null }>();
    for (const row of rows) {
      if (row.isCut) return { matches: found, end: row.ordinal };
      // Only the first row of a text has a record.
      const each = found.get(row.ordinal) ?? { matches: [], record: recordOf(row) };
      each.matches.push({ reading: row.reading, matchedBy: row.matched_by, identifier: row.identifier });
      found.set(row.ordinal, each);
    }
    return { matches: found, end: Infinity };
  }
}
