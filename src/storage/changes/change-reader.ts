import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { ChangeKind, PatchOperation } from '../../registry/change.js';
import { nativeText } from '../../registry/identifier-record.js';
import { compactGuid } from '../../registry/uuid.js';
import { type PageRow, boundedPage } from '../bounded-page.js';

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

/** Changes that one filtered page reads: an index by naming authority would slow each mint. */
const LOOKED_AT = 1000;

/** Later positions may belong to running transactions and are not read. */
const END_SQL = '(SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value FROM change_offset)';

const COLUMNS = `c.position, c.id, c.naming_authority AS "namingAuthority", c.version, c.kind, c.at, c.client,
  c.key_id AS "keyId", c.patch, i.guid, i.local_name AS "localName"`;

export const LOG_PAGE_SQL = bounded(
  `SELECT ${COLUMNS} FROM (
    SELECT * FROM change WHERE (position, id) > ($1::bigint, $2::bigint) AND position < ${END_SQL}
    ORDER BY position, id LIMIT $3
  ) c LEFT JOIN identifier i ON i.id = c.identifier_id
  ORDER BY c.position, c.id`,
  'position, id',
);

/** The last readable position. */
export const LOG_HEAD_SQL = `SELECT position, id FROM change WHERE position < ${END_SQL} ORDER BY position DESC, id DESC LIMIT 1`;

const HISTORY = `SELECT ${COLUMNS} FROM change c LEFT JOIN identifier i ON i.id = c.identifier_id`;
const OF_IDENTIFIER = bounded(
  `${HISTORY} WHERE c.identifier_id = $1 AND c.version > $2 ORDER BY c.version LIMIT $3`,
  'version',
);
const OF_NAMING_AUTHORITY = bounded(
  `${HISTORY} WHERE c.identifier_id IS NULL AND c.naming_authority = $1 AND c.version > $2 ORDER BY c.version LIMIT $3`,
  'version',
);

@Injectable()
export class ChangeReader {
  private readonly reading = new Map<string, Promise<FoundChanges>>();

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** One page, oldest change first. Large changes shorten it. */
  async ofIdentifier(id: bigint, afterVersion: number, limit: number): Promise<FoundChanges> {
    const { rows } = await this.pool.query<Row>(OF_IDENTIFIER, [id.toString(), afterVersion, limit + 1]);
    return foundIn(rows.slice(0, limit));
  }

  /** As `ofIdentifier`. */
  async ofNamingAuthority(prefix: string, afterVersion: number, limit: number): Promise<FoundChanges> {
    const { rows } = await this.pool.query<Row>(OF_NAMING_AUTHORITY, [prefix, afterVersion, limit + 1]);
    return foundIn(rows.slice(0, limit));
  }

  /**
   * The log after a position. Concurrent readers at one position share a query.
   * @param includes a filter; null for all. A filtered page may be empty before the end of the log, but `reached`
   * advances.
   */
  async page(
    after: LogPosition,
    limit: number,
    includes: ((namingAuthority: string) => boolean) | null,
  ): Promise<ChangePage> {
    const lookAt = includes === null ? limit : Math.max(limit, LOOKED_AT);
    const { changes: looked, hasNext } = await this.shared(after, lookAt);
    const included = includes === null ? looked : looked.filter(({ namingAuthority }) => includes(namingAuthority));
    const changes = included.slice(0, limit);
    const last = changes.length === limit ? changes.at(-1) : looked.at(-1);
    const reached = last === undefined ? after : { position: last.position, id: last.id };
    return { changes, reached, more: hasNext || looked.length === lookAt || included.length >= limit };
  }

  async head(): Promise<LogPosition> {
    // Unprepared: a generic plan of a short log would read the whole log.
    const { rows } = await this.pool.query<PositionRow>(LOG_HEAD_SQL);
    return rows[0] === undefined ? LOG_START : positionOf(rows[0]);
  }

  private async shared(after: LogPosition, limit: number): Promise<FoundChanges> {
    const key = `${after.position} ${after.id} ${limit}`;
    const reading = this.reading.get(key) ?? this.read(after, limit).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  private async read({ position, id }: LogPosition, limit: number): Promise<FoundChanges> {
    const { rows } = await this.pool.query<Row>(LOG_PAGE_SQL, [position.toString(), id.toString(), limit]);
    return foundIn(rows);
  }
}

interface PositionRow {
  readonly position: string;
  readonly id: string;
}

interface Row extends PositionRow, PageRow {
  readonly namingAuthority: string;
  readonly version: number;
  readonly kind: string;
  readonly at: Date;
  readonly client: string;
  readonly keyId: string | null;
  readonly patch: string;
  readonly guid: string | null;
  readonly localName: string | null;
}

function bounded(query: string, order: string): string {
  return boundedPage(query, order, 'octet_length(patch)');
}

function foundIn(rows: readonly Row[]): FoundChanges {
  return { changes: rows.map(changeOf), hasNext: rows.at(-1)?.hasNext ?? false };
}

function positionOf({ position, id }: PositionRow): LogPosition {
  return { position: BigInt(position), id: BigInt(id) };
}

function changeOf(row: Row): RecordedChange {
  const { namingAuthority, version, kind, at, client, keyId, guid } = row;
  const localName = row.localName ?? (guid === null ? null : compactGuid(guid));
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
