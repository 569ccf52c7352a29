import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { ChangeKind, PatchOperation } from './change-log.js';
import { nativeText } from './identifier-record.js';
import { compactGuid } from './rows.js';

/** The place of a change in the log; changes are read in this order. */
export interface ChangePlace {
  /** Number of the transaction that made it, plus the offset. */
  readonly position: bigint;
  /** Place within the transaction. */
  readonly id: bigint;
}

/** The place before the first change. */
export const LOG_START: ChangePlace = { position: 0n, id: 0n };

/** Whether a place lies behind another one. */
export function isBehind(place: ChangePlace, other: ChangePlace): boolean {
  return place.position === other.position ? place.id > other.id : place.position > other.position;
}

/** A change as it was written down. */
export interface RecordedChange extends ChangePlace {
  readonly namingAuthority: string;
  /** `NA/local`; null for a change of the naming authority itself. */
  readonly identifier: string | null;
  readonly version: number;
  readonly kind: ChangeKind;
  readonly at: Date;
  readonly client: string;
  readonly keyId: string | null;
  readonly patch: readonly PatchOperation[];
}

/** A piece of the log. */
export interface ChangePage {
  readonly changes: readonly RecordedChange[];
  /** Up to where the log was read; from there it goes on. */
  readonly reached: ChangePlace;
  /** Whether the log has more to read behind that place, as far as it can be told. */
  readonly more: boolean;
}

/** So many changes are looked at for one page where not all are wanted: an index by naming authority would cost every mint. */
const LOOKED_AT = 1000;

/**
 * Positions from here on may still be taken by a transaction that runs, so nobody reads them. Below it everything is
 * committed, visible to the same statement, and never added to.
 */
const END_SQL = '(SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + value FROM change_offset)';

const COLUMNS = `c.position, c.id, c.naming_authority AS "namingAuthority", c.version, c.kind, c.at, c.client,
  c.key_id AS "keyId", c.patch, i.guid, i.local_name AS "localName"`;

/** $1, $2: the place it starts behind; $3: how many changes. */
export const LOG_PAGE_SQL = `
  SELECT ${COLUMNS} FROM (
    SELECT * FROM change WHERE (position, id) > ($1::bigint, $2::bigint) AND position < ${END_SQL}
    ORDER BY position, id LIMIT $3
  ) c LEFT JOIN identifier i ON i.id = c.identifier_id
  ORDER BY c.position, c.id`;

/** The last place that can be read. */
export const LOG_HEAD_SQL = `SELECT position, id FROM change WHERE position < ${END_SQL} ORDER BY position DESC, id DESC LIMIT 1`;

const HISTORY = `SELECT ${COLUMNS} FROM change c LEFT JOIN identifier i ON i.id = c.identifier_id`;
const OF_IDENTIFIER = `${HISTORY} WHERE c.identifier_id = $1 AND c.version > $2 ORDER BY c.version LIMIT $3`;
const OF_AUTHORITY = `${HISTORY} WHERE c.identifier_id IS NULL AND c.naming_authority = $1 AND c.version > $2 ORDER BY c.version LIMIT $3`;

/** Reads the history; its only reader. */
@Injectable()
export class ChangeReader {
  private readonly reading = new Map<string, Promise<RecordedChange[]>>();

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** Changes of one identifier after a version, in their order. */
  async ofIdentifier(id: bigint, afterVersion: number, limit: number): Promise<RecordedChange[]> {
    const { rows } = await this.pool.query<Row>(OF_IDENTIFIER, [id.toString(), afterVersion, limit]);
    return rows.map(changeOf);
  }

  /** Changes of a naming authority itself after a version, in their order. */
  async ofAuthority(prefix: string, afterVersion: number, limit: number): Promise<RecordedChange[]> {
    const { rows } = await this.pool.query<Row>(OF_AUTHORITY, [prefix, afterVersion, limit]);
    return rows.map(changeOf);
  }

  /**
   * The log behind a place: every change once, in the order of the transactions. Readers that stand at one place, such as
   * all who wait at the end, share one query.
   * @param wants tells by its naming authority whether a change is wanted; null where all are. Then a page may be empty
   * before the log ends, and `reached` goes on all the same.
   */
  async page(
    after: ChangePlace,
    limit: number,
    wants: ((namingAuthority: string) => boolean) | null,
  ): Promise<ChangePage> {
    const lookAt = wants === null ? limit : Math.max(limit, LOOKED_AT);
    const looked = await this.shared(after, lookAt);
    const wanted = wants === null ? looked : looked.filter(({ namingAuthority }) => wants(namingAuthority));
    const changes = wanted.slice(0, limit);
    const last = changes.length === limit ? changes.at(-1) : looked.at(-1);
    const reached = last === undefined ? after : { position: last.position, id: last.id };
    return { changes, reached, more: looked.length === lookAt || wanted.length >= limit };
  }

  /** The last place that can be read now. */
  async head(): Promise<ChangePlace> {
    // Without a name: a plan that was kept from when the log was short would read all of it each time.
    const { rows } = await this.pool.query<PlaceRow>(LOG_HEAD_SQL);
    return rows[0] === undefined ? LOG_START : placeOf(rows[0]);
  }

  private async shared(after: ChangePlace, limit: number): Promise<RecordedChange[]> {
    const key = `${after.position} ${after.id} ${limit}`;
    const reading = this.reading.get(key) ?? this.read(after, limit).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  private async read({ position, id }: ChangePlace, limit: number): Promise<RecordedChange[]> {
    const { rows } = await this.pool.query<Row>(LOG_PAGE_SQL, [position.toString(), id.toString(), limit]);
    return rows.map(changeOf);
  }
}

interface PlaceRow {
  readonly position: string;
  readonly id: string;
}

interface Row extends PlaceRow {
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

function placeOf({ position, id }: PlaceRow): ChangePlace {
  return { position: BigInt(position), id: BigInt(id) };
}

function changeOf(row: Row): RecordedChange {
  const { namingAuthority, version, kind, at, client, keyId, guid } = row;
  const localName = row.localName ?? (guid === null ? null : compactGuid(guid));
  return {
    ...placeOf(row),
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
