import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { inSession } from '../../database/connection-pool.js';
import type { ChangeKind, PatchOperation } from '../../registry/change.js';
import { namingAuthorityKey } from '@mintmark/identifier';
import { nativeText } from '../../registry/identifier-record.js';
import type { IgnorableValues } from '../../registry/ignored-members.js';
import { compactGuid } from '../../registry/uuid.js';
import { serverStarted } from '../../problem/storage-problems.js';
import { MAX_PAGE_BYTES, type PageRow } from '../statement.js';
import type { Row } from '../columns.js';
import type { Queryable } from '../transactions.js';
import {
  HORIZON,
  LOG_HEAD,
  LOG_HEAD_WITHOUT,
  LOG_START,
  type LogFilter,
  type LogPageQuery,
  type LogPosition,
  isAfter,
  lastBefore,
  logPage,
} from './log-page.js';
import { PositionOffset, isNewServer } from './position-offset.js';

export interface RecordedChange extends LogPosition {
  readonly namingAuthority: string;
  readonly identifier: string | null;
  readonly version: number;
  readonly kind: ChangeKind;
  readonly at: Date;
  readonly client: string;
  readonly keyId: string | null;
  readonly patch: readonly PatchOperation[];
  /** Whether the identifier is now withdrawn for legal reasons. */
  readonly isLegal: boolean;
}

export interface FoundEvents {
  readonly changes: readonly RecordedChange[];
  readonly reached: LogPosition;
  /** Whether the log was read to its end or, in reverse order, to its start. */
  readonly end: boolean;
  /** Whether the limit of events or of bytes ended the page. */
  readonly isFull: boolean;
  /** Number of events that were read, including those that the filter does not match. */
  readonly read: number;
  /** Approximate bytes of the patches. */
  readonly bytes: number;
}

export interface FoundChanges {
  readonly changes: readonly RecordedChange[];
  readonly hasNext: boolean;
}

/**
 * After a failover, a reader starts again this many transaction numbers before the last event that both histories have. Events of
 * transactions in progress at the failover can be lost. Fewer transactions than this number can start during one statement.
 */
const RESTART_DISTANCE = 65_536;

/** $1: a position; $2: `RESTART_DISTANCE`. Selects the last event that precedes the last event before $1 by more than $2 positions. */
export const RESTART = `
  WITH ${HORIZON}, bound AS MATERIALIZED (
    SELECT least(position, coalesce((SELECT position FROM ${lastBefore('$1::bigint')} lost), 0) - $2::bigint) AS position FROM horizon
  )
  SELECT position, id FROM ${lastBefore('(SELECT position FROM bound)')} restart`;

/** $1: a position; $2: an ordinal. */
export const HAS_EVENT = `
  SELECT EXISTS (SELECT FROM change WHERE position = $1::bigint AND id = $2::bigint)
      OR EXISTS (SELECT FROM first_event WHERE position = $1::bigint AND id = $2::bigint) AS has`;

/** $1: the identifier or the naming authority; $2: a version; $3: the limit. */
const historyOf = (condition: string): string => `
  SELECT bounded.*, (SELECT n.prefix FROM naming_authority n WHERE n.id = naming_authority_id) AS naming_authority FROM (
    SELECT page.*, lead(true) OVER (ORDER BY version) IS NOT NULL AS has_next,
      coalesce(sum(octet_length(patch)) OVER (ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
        AS bytes_before
    FROM (
      SELECT c.position, c.id, c.naming_authority_id, c.version, c.kind, c.at, c.client, c.key_id, c.patch, i.guid, i.local_name, i.withdrawal_reason_code
      FROM event c LEFT JOIN identifier i ON i.id = c.identifier_id
      WHERE ${condition} AND c.version > $2 ORDER BY c.version LIMIT $3
    ) page
  ) bounded
  WHERE bytes_before < ${MAX_PAGE_BYTES} ORDER BY version`;

const OF_IDENTIFIER = historyOf('c.identifier_id = $1');
const OF_NAMING_AUTHORITY = historyOf(
  'c.identifier_id IS NULL AND c.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = $1)',
);

/** $1: IDs of identifiers that have changed or were imported. Selects the first events, which have the values as created. */
const FIRST_EVENTS = `
  SELECT w.id, c.patch::json #> '{0,value}' AS document
  FROM unnest($1::bigint[]) AS w(id) CROSS JOIN LATERAL (
    SELECT x.patch FROM change x WHERE x.identifier_id = w.id ORDER BY x.version LIMIT 1
  ) c`;

@Injectable()
export class ChangeReader {
  private readonly reading = new Map<string, Promise<FoundEvents | null>>();
  private raising: Promise<void> | null = null;

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** Reads one page of the history of an identifier, oldest change first. Large changes shorten the page. */
  async ofIdentifier(id: bigint, afterVersion: number, limit: number): Promise<FoundChanges> {
    const values = [id.toString(), afterVersion, limit + 1];
    const { rows } = await this.pool.query<ChangeRow>({ name: 'history', text: OF_IDENTIFIER, values });
    return foundIn(rows.slice(0, limit));
  }

  /** Returns the values with which changed identifiers were minted. */
  async valuesAsMinted(
    ids: readonly bigint[],
    from: Queryable = this.pool,
  ): Promise<ReadonlyMap<bigint, IgnorableValues>> {
    if (ids.length === 0) return new Map();
    const { rows } = await from.query<FirstEventRow>(FIRST_EVENTS, [ids.map(String)]);
    return new Map(
      rows.map(({ id, document }) => {
        const { leaseUntil } = document;
        return [BigInt(id), { ...document, leaseUntil: leaseUntil === null ? null : new Date(leaseUntil) }];
      }),
    );
  }

  /** Like `ofIdentifier`, for a naming authority. */
  async ofNamingAuthority(prefix: string, afterVersion: number, limit: number): Promise<FoundChanges> {
    const { rows } = await this.pool.query<ChangeRow>(OF_NAMING_AUTHORITY, [prefix, afterVersion, limit + 1]);
    return foundIn(rows.slice(0, limit));
  }

  /**
   * Reads the events after a position, or before it in reverse order. Concurrent readers of the same page share one statement.
   * @param reads maximum number of events to read, including those that the filter does not match.
   * @returns null if the log does not have the event at `after`. In reverse order, this is not checked.
   */
  async page(after: LogPosition, query: LogPageQuery, reads: number): Promise<FoundEvents | null> {
    const key = JSON.stringify([`${after.position} ${after.id}`, reads, query.limit, query.order, query.filter]);
    const reading = this.reading.get(key) ?? this.read(after, query, reads).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  async head(): Promise<LogPosition> {
    // The statement has no name, because a generic plan made for a short log would later read the whole log.
    const { rows } = await this.pool.query<PositionRow>(LOG_HEAD);
    return rows[0] === undefined ? LOG_START : positionOf(rows[0]);
  }

  /** Returns the end of the log if the filter has only naming authorities that do not exist, and thus no event; otherwise null. */
  async headWithout(filter: LogFilter | null): Promise<LogPosition | null> {
    const wanted = filter?.namingAuthorities ?? null;
    if (wanted === null || wanted.some(({ derived }) => derived)) return null;
    const keys = wanted.map(({ namingAuthority }) => namingAuthorityKey(namingAuthority));
    const { rows } = await this.pool.query<PositionRow>(LOG_HEAD_WITHOUT, [keys]);
    return rows[0] === undefined ? null : positionOf(rows[0]);
  }

  /** Returns where a reader whose position is not in the log starts again. No lost event precedes the returned position. */
  async restart(lost: LogPosition): Promise<LogPosition> {
    const { rows } = await this.pool.query<PositionRow>(RESTART, [lost.position.toString(), RESTART_DISTANCE]);
    return rows[0] === undefined ? LOG_START : positionOf(rows[0]);
  }

  private async read(after: LogPosition, query: LogPageQuery, reads: number): Promise<FoundEvents | null> {
    const { rows } = await this.pool.query<EventRow>(logPage(after, query, reads));
    const isKnown = rows[0] !== undefined && isAt(rows[0], after);
    // Reading in reverse order needs no check, because events before a lost event are not lost.
    if (!isKnown && query.order === 'at' && isAfter(after, LOG_START)) {
      // Until the offset is raised, the horizon can be before existing positions of the log.
      if (await isNewServer(this.pool)) {
        this.raising ??= this.raise().finally(() => (this.raising = null));
        throw serverStarted();
      }
      if (!(await this.has(after))) return null;
    }
    const all = rows.filter((row) => row.is_found);
    const found = all.slice(0, query.limit);
    const last = all.length > query.limit ? found.at(-1) : rows.at(-1);
    return {
      changes: found.map(changeOf),
      reached: last === undefined ? after : positionOf(last),
      end: last === undefined || (last.is_last && last.read <= reads),
      isFull: found.length === query.limit || last?.is_last === false,
      read: rows.at(-1)?.read ?? 0,
      bytes: found.reduce((sum, { patch }) => sum + patch.length, 0),
    };
  }

  /**
   * Whether the log has an event. A page can lack an existing event if the horizon was before it: a writer raised the offset after the log
   * was read, or a transaction of another database ended between the snapshot and the reading of the sessions.
   */
  private async has({ position, id }: LogPosition): Promise<boolean> {
    const { rows } = await this.pool.query<{ has: boolean }>(HAS_EVENT, [position.toString(), id.toString()]);
    return rows[0]?.has === true;
  }

  /** Raises the offset as the first write of a session would, because there may be no such write. Has no effect for a read-only role. */
  private async raise(): Promise<void> {
    await inSession(this.pool, (client) => new PositionOffset().compare(client)).catch(() => null);
  }
}

function isAt(row: PositionRow, { position, id }: LogPosition): boolean {
  return row.position === position.toString() && row.id === id.toString();
}

type PositionRow = Pick<Row<'change'>, 'position' | 'id'>;

interface FirstEventRow {
  readonly id: string;
  readonly document: Omit<IgnorableValues, 'leaseUntil'> & { readonly leaseUntil: string | null };
}

type ChangeRow = Omit<Row<'change'>, 'identifier_id' | 'naming_authority_id'> & {
  readonly naming_authority: string;
} & Pick<Row<'identifier'>, 'guid' | 'local_name' | 'withdrawal_reason_code'> &
  PageRow;

type EventRow = ChangeRow & {
  readonly is_found: boolean;
  readonly is_last: boolean;
  /** Number of events read up to and including this one. */
  readonly read: number;
};

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
    isLegal: row.withdrawal_reason_code === 'legal',
  };
}
