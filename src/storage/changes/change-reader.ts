import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { ChangeKind, PatchOperation } from '../../registry/change.js';
import { nativeText } from '../../registry/identifier-record.js';
import { compactGuid } from '../../registry/uuid.js';
import type { PageRow } from '../bounded-page.js';
import type { Row } from '../columns.js';

/** The position of a change in the log, and its ordinal. */
export interface LogPosition {
  readonly position: bigint;
  readonly id: bigint;
}

export const LOG_START: LogPosition = { position: 0n, id: 0n };

export function isAfter(cursor: LogPosition, other: LogPosition): boolean {
  return cursor.position === other.position ? cursor.id > other.id : cursor.position > other.position;
}

export interface RecordedChange extends LogPosition {
  readonly namingAuthority: string;
  readonly identifier: string | null;
  readonly version: number;
  readonly kind: ChangeKind;
  readonly at: Date;
  readonly client: string;
  readonly keyId: string | null;
  readonly patch: readonly PatchOperation[];
}

export interface ChangePage {
  readonly changes: readonly RecordedChange[];
  readonly reached: LogPosition;
  readonly more: boolean;
}

/** Changes, and whether more follow that were found by the same query. */
export interface FoundChanges {
  readonly changes: readonly RecordedChange[];
  readonly hasNext: boolean;
}

/** Events of the first statement of a page: it measures the events that it does not return too. */
const FIRST_READ = 100;
const READ_GROWTH = 10;

/**
 * Transactions before the last event that both histories have: after a failover, some of them may have been in progress, and
 * their events lost too. More than are made while a statement may run.
 */
const RESTART_DISTANCE = 65_536;

/** Changes that one filtered page reads: an index by naming authority would slow each mint. */
const LOOKED_AT = 1000;

/**
 * $1 and $2: a position and an ordinal; $3: the limit. The event there, which precedes the page, is returned without its patch:
 * its absence shows that the log does not have it. Positions from the oldest running transaction on may belong to
 * running transactions and are not read. A page ends after `MAX_PAGE_OCTETS`; the patches of first events are built only
 * for the page, because one can have 1.6 MB.
 */
export const LOG_PAGE = `
  SELECT position, id, (SELECT n.prefix FROM naming_authority n WHERE n.id = naming_authority_id) AS naming_authority,
         version, kind, at, client, key_id, guid, local_name, has_next,
         CASE WHEN (position, id) > ($1::bigint, $2::bigint)
           THEN coalesce(patch, (SELECT f.patch FROM first_event f WHERE f.identifier_id = bounded.identifier_id)) END AS patch
  FROM (
    SELECT page.*, lead(true) OVER (ORDER BY position, id) IS NOT NULL AS has_next,
      coalesce(sum(octets) OVER (ORDER BY position, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS octets_before
    FROM (
      SELECT c.position, c.id, c.naming_authority_id, c.identifier_id, c.version, c.kind, c.at, c.client, c.key_id, c.patch,
             CASE WHEN (c.position, c.id) > ($1::bigint, $2::bigint) THEN c.octets ELSE 0 END AS octets, i.guid, i.local_name
      FROM (
        (SELECT position, id, naming_authority_id, identifier_id, version, kind, client, key_id, at, patch,
                octet_length(patch) AS octets
         FROM change
         WHERE (position, id) >= ($1::bigint, $2::bigint)
           AND position < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value FROM log_offset)
         ORDER BY position, id LIMIT $3::int + 1)
        UNION ALL
        (SELECT position, id, naming_authority_id, identifier_id, version, kind, client, key_id, at, NULL, octets
         FROM first_event
         WHERE (position, id) >= ($1::bigint, $2::bigint)
           AND position < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value FROM log_offset)
         ORDER BY position, id LIMIT $3::int + 1)
        ORDER BY position, id LIMIT $3::int + 1
      ) c LEFT JOIN identifier i ON i.id = c.identifier_id
      ORDER BY c.position, c.id
    ) page
  ) bounded
  WHERE octets_before < 8388608 ORDER BY position, id`;

/** The last readable position. */
export const LOG_HEAD = `
  (SELECT position, id FROM change
   WHERE position < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value FROM log_offset)
   ORDER BY position DESC, id DESC LIMIT 1)
  UNION ALL
  (SELECT position, id FROM first_event
   WHERE position < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value FROM log_offset)
   ORDER BY position DESC, id DESC LIMIT 1)
  ORDER BY position DESC, id DESC LIMIT 1`;

/** $1: a position; $2: `RESTART_DISTANCE`. The last event that is so far before the last one before the position. */
export const RESTART = `
  WITH bound AS MATERIALIZED (
    SELECT least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value,
                 coalesce(greatest((SELECT max(position) FROM change WHERE position < $1::bigint),
                                   (SELECT max(position) FROM first_event WHERE position < $1::bigint)), 0) - $2::bigint) AS value
    FROM log_offset
  )
  (SELECT position, id FROM change WHERE position < (SELECT value FROM bound) ORDER BY position DESC, id DESC LIMIT 1)
  UNION ALL
  (SELECT position, id FROM first_event WHERE position < (SELECT value FROM bound) ORDER BY position DESC, id DESC LIMIT 1)
  ORDER BY position DESC, id DESC LIMIT 1`;

/** $1: the identifier; $2: a version; $3: the limit. */
const OF_IDENTIFIER = `
  SELECT bounded.*, (SELECT n.prefix FROM naming_authority n WHERE n.id = naming_authority_id) AS naming_authority FROM (
    SELECT page.*, lead(true) OVER (ORDER BY version) IS NOT NULL AS has_next,
      coalesce(sum(octet_length(patch)) OVER (ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
        AS octets_before
    FROM (
      SELECT c.position, c.id, c.naming_authority_id, c.version, c.kind, c.at, c.client, c.key_id, c.patch, i.guid, i.local_name
      FROM event c LEFT JOIN identifier i ON i.id = c.identifier_id
      WHERE c.identifier_id = $1 AND c.version > $2 ORDER BY c.version LIMIT $3
    ) page
  ) bounded
  WHERE octets_before < 8388608 ORDER BY version`;

/** $1: the naming authority; $2: a version; $3: the limit. */
const OF_NAMING_AUTHORITY = `
  SELECT bounded.*, (SELECT n.prefix FROM naming_authority n WHERE n.id = naming_authority_id) AS naming_authority FROM (
    SELECT page.*, lead(true) OVER (ORDER BY version) IS NOT NULL AS has_next,
      coalesce(sum(octet_length(patch)) OVER (ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
        AS octets_before
    FROM (
      SELECT c.position, c.id, c.naming_authority_id, c.version, c.kind, c.at, c.client, c.key_id, c.patch, i.guid, i.local_name
      FROM event c LEFT JOIN identifier i ON i.id = c.identifier_id
      WHERE c.identifier_id IS NULL AND c.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = $1) AND c.version > $2 ORDER BY c.version LIMIT $3
    ) page
  ) bounded
  WHERE octets_before < 8388608 ORDER BY version`;

@Injectable()
export class ChangeReader {
  private readonly reading = new Map<string, Promise<FoundChanges | null>>();

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** One page, oldest change first. Large changes shorten it. */
  async ofIdentifier(id: bigint, afterVersion: number, limit: number): Promise<FoundChanges> {
    const { rows } = await this.pool.query<ChangeRow>(OF_IDENTIFIER, [id.toString(), afterVersion, limit + 1]);
    return foundIn(rows.slice(0, limit));
  }

  /** As `ofIdentifier`. */
  async ofNamingAuthority(prefix: string, afterVersion: number, limit: number): Promise<FoundChanges> {
    const { rows } = await this.pool.query<ChangeRow>(OF_NAMING_AUTHORITY, [prefix, afterVersion, limit + 1]);
    return foundIn(rows.slice(0, limit));
  }

  /**
   * The log after a position. Concurrent readers at one position share a query.
   * @param includes a filter; null for all. A filtered page may be empty before the end of the log, but `reached`
   * advances.
   * @param after the position of an event, or `LOG_START`.
   * @returns null when the log does not have the event at `after`.
   */
  async page(
    after: LogPosition,
    limit: number,
    includes: ((namingAuthority: string) => boolean) | null,
  ): Promise<ChangePage | null> {
    const lookAt = includes === null ? limit : Math.max(limit, LOOKED_AT);
    const found = await this.shared(after, lookAt);
    if (found === null) return null;
    const { changes: looked, hasNext } = found;
    const included = includes === null ? looked : looked.filter(({ namingAuthority }) => includes(namingAuthority));
    const changes = included.slice(0, limit);
    const last = changes.length === limit ? changes.at(-1) : looked.at(-1);
    const reached = last === undefined ? after : { position: last.position, id: last.id };
    return { changes, reached, more: hasNext || looked.length === lookAt || included.length >= limit };
  }

  async head(): Promise<LogPosition> {
    // Unprepared: a generic plan of a short log would read the whole log.
    const { rows } = await this.pool.query<PositionRow>(LOG_HEAD);
    return rows[0] === undefined ? LOG_START : positionOf(rows[0]);
  }

  /** Where a reader starts again whose position the log does not have: nothing that it lost comes before. */
  async restart(lost: LogPosition): Promise<LogPosition> {
    const { rows } = await this.pool.query<PositionRow>(RESTART, [lost.position.toString(), RESTART_DISTANCE]);
    return rows[0] === undefined ? LOG_START : positionOf(rows[0]);
  }

  private async shared(after: LogPosition, limit: number): Promise<FoundChanges | null> {
    const key = `${after.position} ${after.id} ${limit}`;
    const reading = this.reading.get(key) ?? this.read(after, limit).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  /** At most two statements, each of which ends after `MAX_PAGE_OCTETS`. */
  private async read(after: LogPosition, limit: number): Promise<FoundChanges | null> {
    const changes: RecordedChange[] = [];
    for (let most = FIRST_READ; ; most *= READ_GROWTH) {
      const start = changes.at(-1) ?? after;
      const wanted = Math.min(most, limit - changes.length);
      const values = [start.position.toString(), start.id.toString(), wanted];
      const { rows } = await this.pool.query<ChangeRow>(LOG_PAGE, values);
      const follows = rows[0] !== undefined && isAt(rows[0], start);
      if (!follows && isAfter(start, LOG_START)) return null;
      const found = foundIn(follows ? rows.slice(1) : rows.slice(0, wanted));
      changes.push(...found.changes);
      if (found.changes.length < wanted || changes.length === limit) return { changes, hasNext: found.hasNext };
    }
  }
}

function isAt(row: PositionRow, { position, id }: LogPosition): boolean {
  return row.position === position.toString() && row.id === id.toString();
}

type PositionRow = Pick<Row<'change'>, 'position' | 'id'>;

type ChangeRow = Omit<Row<'change'>, 'identifier_id' | 'naming_authority_id'> & {
  readonly naming_authority: string;
} & Pick<Row<'identifier'>, 'guid' | 'local_name'> &
  PageRow;

function foundIn(rows: readonly ChangeRow[]): FoundChanges {
  return { changes: rows.map(changeOf), hasNext: rows.at(-1)?.has_next ?? false };
}

function positionOf({ position, id }: PositionRow): LogPosition {
  return { position: BigInt(position), id: BigInt(id) };
}

function changeOf(row: ChangeRow): RecordedChange {
  const { naming_authority: namingAuthority, version, kind, at, client, key_id: keyId, guid } = row;
  const localName = row.local_name ?? (guid === null ? null : compactGuid(guid));
  return {
    ...positionOf(row),
    namingAuthority,
    identifier: localName === null ? null : nativeText({ namingAuthority, localName }),
    version,
    kind: kind as ChangeKind,
    at,
    client,
    keyId,
    patch: JSON.parse(row.patch) as PatchOperation[],
  };
}
