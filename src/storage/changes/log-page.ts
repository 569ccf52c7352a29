import type { QueryConfig } from 'pg';
import { namingAuthorityKey } from '@mintmark/identifier';
import type { ChangeKind } from '../../registry/change.js';
import { MAX_PAGE_BYTES } from '../statement.js';

export interface LogPosition {
  readonly position: bigint;
  readonly id: bigint;
}

export const LOG_START: LogPosition = { position: 0n, id: 0n };

export const LOG_END: LogPosition = { position: 2n ** 63n - 1n, id: 2n ** 63n - 1n };

export function isAfter(cursor: LogPosition, other: LogPosition): boolean {
  return cursor.position === other.position ? cursor.id > other.id : cursor.position > other.position;
}

export const LOG_ORDERS = ['at', '-at'] as const;
export type LogOrder = (typeof LOG_ORDERS)[number];

/** Selects events; a null member matches all. */
export interface LogFilter {
  /** `derived`: whether the filter includes the naming authorities derived from this one. */
  readonly namingAuthorities: readonly { readonly namingAuthority: string; readonly derived: boolean }[] | null;
  readonly kind: ChangeKind | null;
  readonly client: string | null;
}

export interface LogPageQuery {
  readonly limit: number;
  readonly order: LogOrder;
  readonly filter: LogFilter | null;
}

/**
 * The first position that may belong to a running transaction. It is computed once per statement, because a second computation can have
 * another result, and a page that used both would skip rows of one table. See the function `feed_horizon` of the schema.
 */
export const HORIZON = 'horizon AS MATERIALIZED (SELECT feed_horizon() + value AS position FROM log_offset)';

/**
 * $1 and $2: a position and an ordinal; $3: the limit; $4: how many events to read; $5 to $8: the filter, null for all. The event at the
 * position, which precedes the page, is returned without its patch, unless the log does not have it or `HORIZON` excludes it. The last
 * event that was read is also returned. Positions from `HORIZON` on are not read. A page ends after `MAX_PAGE_BYTES`; patches of first
 * events are built only for the page, because a patch can have 1.6 MB. Each half has a limit and no filter, so that the filter does not
 * affect the choice of its index. If the half of `change` is full, `bound` is its last row, and first events are not read beyond it: see
 * `lastBefore`.
 */
const statementOf = (
  [from, beyond, to]: readonly ['>=', '>', '<='] | readonly ['<=', '<', '>='],
  direction: 'ASC' | 'DESC',
  end: LogPosition,
): string => {
  const order = `position ${direction}, id ${direction}`;
  const half = (patch: string, table: string, bound: string): string => `
    SELECT position, id, naming_authority_id, identifier_id, version, kind, client, key_id, at, ${patch} AS patch
    FROM ${table}
    WHERE (position, id) ${from} ($1::bigint, $2::bigint) AND position < (SELECT position FROM horizon)${bound}
    ORDER BY ${order} LIMIT $4::int + 1`;
  return `
  WITH ${HORIZON}, changed AS MATERIALIZED (${half('patch', 'change', '')}
  ), bound AS MATERIALIZED (
    (SELECT position, id FROM changed ORDER BY ${order} OFFSET $4::int)
    UNION ALL
    SELECT ${end.position}, ${end.id}
    ORDER BY ${order} LIMIT 1
  )
  SELECT b.position, b.id, (SELECT n.prefix FROM naming_authority n WHERE n.id = b.naming_authority_id) AS naming_authority,
         b.version, b.kind, b.at, b.client, b.key_id, i.guid, i.local_name, i.withdrawal_reason_code, b.is_found, b.is_last, b.read::int,
         CASE WHEN b.is_found
           THEN coalesce(b.patch, (SELECT f.patch FROM first_event f WHERE (f.position, f.id) = (b.position, b.id))) END AS patch
  FROM (
    SELECT p.*, coalesce(sum(bytes) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
    FROM (
      SELECT w.*, CASE WHEN is_found
               THEN coalesce(octet_length(patch), (SELECT f.bytes FROM first_event f WHERE (f.position, f.id) = (w.position, w.id)))
             END AS bytes
      FROM (
        SELECT l.*, row_number() OVER (ORDER BY ${order}) AS read, lead(false, 1, true) OVER (ORDER BY ${order}) AS is_last,
               (position, id) ${beyond} ($1::bigint, $2::bigint)
               AND ($5::text[] IS NULL OR naming_authority_id IN (
                      SELECT n.id FROM naming_authority n WHERE upper(n.prefix COLLATE "C") = ANY ($5::text[])
                      UNION ALL
                      SELECT n.id FROM unnest($6::text[]) AS derived(key) JOIN naming_authority n
                        ON upper(n.prefix COLLATE "C") >= key || '.' AND upper(n.prefix COLLATE "C") < key || '/'))
               AND ($7::text IS NULL OR kind = $7) AND ($8::text IS NULL OR client = $8) AS is_found
        FROM (TABLE changed
              UNION ALL (${half('NULL', 'first_event', ` AND (position, id) ${to} (SELECT position, id FROM bound)`)})
              ORDER BY ${order} LIMIT $4::int + 1) l
      ) w
      WHERE is_found OR is_last OR (position, id) = ($1::bigint, $2::bigint)
      ORDER BY ${order} LIMIT $3::int + 2
    ) p
  ) b LEFT JOIN identifier i ON i.id = b.identifier_id
  WHERE bytes_before < ${MAX_PAGE_BYTES} ORDER BY ${order}`;
};

const STATEMENTS: Readonly<Record<LogOrder, string>> = {
  at: statementOf(['>=', '>', '<='], 'ASC', LOG_END),
  '-at': statementOf(['<=', '<', '>='], 'DESC', LOG_START),
};

/** The query has no name, because its best plan depends on the length of the log. @param reads as for `ChangeReader.page`. */
export function logPage(after: LogPosition, { limit, order, filter }: LogPageQuery, reads: number): QueryConfig {
  const { namingAuthorities = null, kind = null, client = null } = filter ?? {};
  const keysOf = (all: LogFilter['namingAuthorities']): string[] | null =>
    all?.map(({ namingAuthority }) => namingAuthorityKey(namingAuthority)) ?? null;
  const derived = namingAuthorities?.filter((each) => each.derived) ?? null;
  const boundary = [after.position.toString(), after.id.toString()];
  const values = [...boundary, limit, reads, keysOf(namingAuthorities), keysOf(derived), kind, client];
  return { text: STATEMENTS[order], values };
}

/**
 * A query for the last event before a position. The first event of a changed identifier is also a row of `change`, but remains in the index
 * of first events while any session holds a snapshot, such as a dump. First events are therefore read only after the last row of `change`.
 */
export const lastBefore = (position: string): string => `(
  WITH last_change AS MATERIALIZED (
    SELECT position, id FROM change WHERE position < ${position} ORDER BY position DESC, id DESC LIMIT 1
  )
  TABLE last_change
  UNION ALL
  (SELECT position, id FROM first_event
   WHERE position < ${position} AND position >= coalesce((SELECT position FROM last_change), 0)
   ORDER BY position DESC, id DESC LIMIT 1)
  ORDER BY position DESC, id DESC LIMIT 1)`;

/** The last readable position. */
export const LOG_HEAD = `
  WITH ${HORIZON} SELECT position, id FROM ${lastBefore('(SELECT position FROM horizon)')} head`;

/** $1: keys of prefixes. Selects the row of `LOG_HEAD` if no naming authority has one of these keys; otherwise no row. */
export const LOG_HEAD_WITHOUT = `
  SELECT head.position, head.id FROM (${LOG_HEAD}) head
  WHERE NOT EXISTS (SELECT FROM naming_authority n WHERE upper(n.prefix COLLATE "C") = ANY ($1::text[]))`;
