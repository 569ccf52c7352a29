import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { isAt } from '../../registry/key-collision.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { HOT_POOL } from '../../database/pool.js';
import { MOST_PREPARED, bytesOfRow, prepared } from '../statement.js';
import { type IdentifierRow, recordColumns, recordOf } from './identifier-row.js';
import { type PairedIds, reservedPairs } from '../changes/change-log.js';
import type { Queryable } from '../transactions.js';

const recordsWhere = (condition: string): string =>
  `SELECT ${recordColumns('r')} FROM identifier_record r WHERE ${condition}`;

/** $1: the naming authority; $2: the GUID or the key of the local name. */
const byAddress = (column: 'guid' | 'local_key'): string =>
  recordsWhere(`naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = $1) AND ${column} = $2`);

const BY_GUID = { name: 'by-guid', text: byAddress('guid') };
const BY_LOCAL_KEY = { name: 'by-local-key', text: byAddress('local_key') };

/** $1: the IDs. A subquery hides their number, so that a session keeps one plan: planning takes ten times as long as execution. */
const BY_IDS = recordsWhere('id = ANY((SELECT $1::bigint[])::bigint[])');

/** $1: the IDs; $2: bytes of records after which the result ends. */
const FIRST_BY_IDS = `
  SELECT ${recordColumns('r')}
  FROM (
    SELECT i.id, sum(${bytesOfRow('i')}) OVER (ORDER BY w.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
    FROM unnest($1::bigint[]) WITH ORDINALITY AS w(id, n) JOIN identifier i ON i.id = w.id
  ) measured JOIN identifier_record r ON r.id = measured.id WHERE measured.bytes < $2 OR measured.bytes IS NULL`;

/** Maximum bytes of a record with its Handle values. Records that certainly fit into a part are not measured, which is faster. */
const MOST_RECORD_BYTES = 98_304;

/** $1: the IDs; $2: the time with which leases are compared. */
const UNWRITTEN_EXPIRATIONS = recordsWhere("id = ANY($1::bigint[]) AND state = 'reserved' AND lease_until <= $2");

const BY_RESERVATION = recordsWhere('reservation = $1 ORDER BY id');

const EXPIRED_IDS = `
  SELECT id FROM identifier
  WHERE state = 'reserved' AND lease_until <= CURRENT_TIMESTAMP ORDER BY lease_until LIMIT $1`;

/** Records, and the metadata records that were minted with reserved objects, by the IDs of these objects. */
export interface PairedRecords {
  readonly records: readonly IdentifierRecord[];
  readonly metadataRecords: ReadonlyMap<bigint, IdentifierRecord>;
}

/** Reads records. An expired reservation counts as withdrawn. */
@Injectable()
export class IdentifierReader {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool = pool,
  ) {}

  async find(address: Address): Promise<IdentifierRecord | null> {
    const { namingAuthority, guid, localKey } = address;
    const statement = guid === null ? BY_LOCAL_KEY : BY_GUID;
    const { rows } = await this.pool.query<IdentifierRow>({
      ...statement,
      values: [namingAuthority, guid ?? localKey],
    });
    const found = rows[0] === undefined ? null : recordOf(rows[0]);
    return found !== null && isAt(found.localName, address) ? found : null;
  }

  /** The identifiers of a reservation, in their original order and in any state. */
  async findByReservation(reservation: string): Promise<IdentifierRecord[]> {
    const { rows } = await this.pool.query<IdentifierRow>({ text: BY_RESERVATION, values: [reservation] });
    return rows.map((row) => recordOf(row));
  }

  /** @param at compared with leases; by default the time of the transaction. @returns existing records in the order of `ids`. */
  async findByIds(ids: readonly bigint[], from: Queryable = this.pool, at?: Date): Promise<IdentifierRecord[]> {
    const { rows } = await from.query<IdentifierRow>(prepared('by-ids', BY_IDS, [ids.map(String)], ids.length));
    const found = new Map(
      rows.map((row) => [row.id, recordOf(row, at === undefined ? row.expired : isExpired(row, at))]),
    );
    return ids.flatMap((id) => found.get(id.toString()) ?? []);
  }

  /**
   * Reads the records of items in parts, so that the process never holds many large ones.
   * @param most maximum numbers of items and bytes of a part; a part has at least one item.
   * @param from by default the hot pool for few items, such as those of a replay, because its sessions keep the plan, and planning takes
   * ten times as long as execution; otherwise the general pool.
   */
  async *inParts<T>(
    items: readonly T[],
    idsOf: (item: T) => readonly bigint[],
    most: { readonly items: number; readonly bytes: number },
    from: Queryable = items.length <= MOST_PREPARED ? this.hot : this.pool,
  ): AsyncGenerator<{ readonly part: readonly T[]; readonly records: ReadonlyMap<bigint, IdentifierRecord> }> {
    let size = most.items;
    for (let start = 0; start < items.length;) {
      const slice = items.slice(start, start + size);
      const ids = slice.flatMap((item) => idsOf(item));
      let records =
        ids.length === 0
          ? []
          : ids.length * MOST_RECORD_BYTES <= most.bytes
            ? await this.findByIds(ids, from)
            : await this.findFirst(ids, most.bytes, from);
      const found = new Set(records.map(({ id }) => id));
      const cut = slice.findIndex((item) => idsOf(item).some((id) => !found.has(id)));
      const part = slice.slice(0, cut === -1 ? slice.length : Math.max(cut, 1));
      // The records of a single item have more bytes than a part, or do not exist.
      if (cut === 0)
        records = await this.findByIds(
          part.flatMap((item) => idsOf(item)),
          from,
        );
      yield { part, records: new Map(records.map((record) => [record.id, record])) };
      start += part.length;
      // A statement measures all records of a slice, so after an incomplete slice, the next one has twice as many items as were read.
      size = cut === -1 ? Math.min(size * 4, most.items) : 2 * part.length;
    }
  }

  private async findFirst(ids: readonly bigint[], bytes: number, from: Queryable): Promise<IdentifierRecord[]> {
    const query = prepared('first-by-ids', FIRST_BY_IDS, [ids.map(String), bytes], ids.length);
    const { rows } = await from.query<IdentifierRow>(query);
    return rows.map((row) => recordOf(row));
  }

  /** Returns the total bytes of the texts and values of records. */
  async bytesOf(ids: readonly bigint[], from: Queryable = this.pool): Promise<number> {
    const text = `SELECT coalesce(sum(${bytesOfRow('i')}), 0)::float8 AS bytes FROM identifier i WHERE id = ANY($1::bigint[])`;
    const { rows } = await from.query<{ bytes: number }>({ text, values: [ids.map(String)] });
    return rows[0]?.bytes ?? 0;
  }

  /** Returns the IDs of the metadata records that were minted with identifiers which are still reserved. */
  async findPairs(ids: readonly bigint[]): Promise<PairedIds> {
    const { rows } = await this.pool.query<{ id: string; metadata_record_id: string }>({
      text: reservedPairs('$1'),
      values: [ids.map(String)],
    });
    return new Map(rows.map((row) => [BigInt(row.id), BigInt(row.metadata_record_id)]));
  }

  /** Like `findByIds`, with metadata records. */
  async findPaired(
    ids: readonly bigint[],
    pairs: PairedIds,
    from: Queryable = this.pool,
    at?: Date,
  ): Promise<PairedRecords> {
    const found = await this.findByIds([...new Set([...ids, ...pairs.values()])], from, at);
    const byId = new Map(found.map((record) => [record.id, record]));
    const metadataRecords = [...pairs].flatMap(([id, recordId]): [bigint, IdentifierRecord][] => {
      const record = byId.get(recordId);
      return record === undefined ? [] : [[id, record]];
    });
    return { records: ids.flatMap((id) => byId.get(id) ?? []), metadataRecords: new Map(metadataRecords) };
  }

  /** Returns expired reservations whose expiry is not recorded, as they are stored. */
  async findExpiredLeases(ids: readonly bigint[], from: Queryable, at: Date): Promise<IdentifierRecord[]> {
    const values = [ids.map(String), at.toISOString()];
    const { rows } = await from.query<IdentifierRow>({ text: UNWRITTEN_EXPIRATIONS, values });
    return rows.map((row) => recordOf(row, false));
  }

  /** Returns the IDs of the oldest expired reservations whose expiry is not recorded. */
  async findExpiredIds(limit: number): Promise<bigint[]> {
    const { rows } = await this.pool.query<{ id: string }>({ text: EXPIRED_IDS, values: [limit] });
    return rows.map(({ id }) => BigInt(id));
  }
}

function isExpired({ state, lease_until: leaseUntil }: IdentifierRow, at: Date): boolean {
  return state === 'reserved' && leaseUntil !== null && leaseUntil <= at;
}
