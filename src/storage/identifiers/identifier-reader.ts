import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { type Digest, bytea } from '../../registry/digest.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { type PageFilter, type PageCursor, pageQuery } from './page-query.js';
import { type IdentifierRow, EXPIRED_SQL, RECORD_COLUMNS_SQL, RECORD_TABLES_SQL, recordOf } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import type { PageRow } from '../bounded-page.js';
import type { Queryable } from '../transactions.js';

const SELECT = `SELECT ${RECORD_COLUMNS_SQL} FROM ${RECORD_TABLES_SQL}`;

const BY_GUID = `${SELECT} WHERE i.naming_authority = $1 AND i.guid = $2`;
const BY_LOCAL_KEY = `${SELECT} WHERE i.naming_authority = $1 AND i.local_key = $2`;
const BY_METADATA = `${SELECT} WHERE i.naming_authority = $1 AND i.metadata_key = $2`;
const BY_REQUEST = `
  SELECT ${RECORD_COLUMNS_SQL}, encode(i.request_hash, 'hex') AS fingerprint FROM ${RECORD_TABLES_SQL}
  WHERE i.client = $1 AND i.request_key = $2 AND i.request_index BETWEEN $3 AND $3 + 1 ORDER BY i.request_index`;
const BY_IDS = `${SELECT} WHERE i.id = ANY($1::bigint[])`;
const UNWRITTEN_EXPIRATIONS = `${SELECT} WHERE i.id = ANY($1::bigint[]) AND i.state = 'reserved' AND i.lease_until <= $2`;
const BY_RESERVATION = `${SELECT} WHERE i.reservation = $1 ORDER BY i.id`;
const EXPIRED_IDS = `SELECT i.id FROM identifier i WHERE ${EXPIRED_SQL} ORDER BY i.lease_until LIMIT $1`;
const BY_ALTERNATES = `
  SELECT encode(a.key, 'hex') AS key, ${RECORD_COLUMNS_SQL} FROM alternate_identifier a JOIN ${RECORD_TABLES_SQL.replace('i JOIN', 'i ON i.id = a.identifier_id JOIN')}
  WHERE a.naming_authority = $1 AND a.key = ANY($2::bytea[])`;

export interface MintedByRequest {
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
  readonly fingerprint: Digest;
}

/** Records of the first statement of a page: it measures the records that it does not return too. */
const FIRST_READ = 100;
const READ_GROWTH = 4;

export interface FoundPage {
  readonly records: readonly IdentifierRecord[];
  readonly hasNext: boolean;
}

/** Reads records. An expired reservation counts as withdrawn. */
@Injectable()
export class IdentifierReader {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async find(address: Address, from: Queryable = this.pool): Promise<IdentifierRecord | null> {
    const { namingAuthority, guid, localKey } = address;
    return guid === null
      ? one(from, 'by-local-key', BY_LOCAL_KEY, [namingAuthority, bytea(localKey)])
      : one(from, 'by-guid', BY_GUID, [namingAuthority, guid]);
  }

  /** The object of a metadata ID in a naming authority; at most one. */
  async findByMetadataId(
    namingAuthority: string,
    metadataKey: CanonicalName['key'],
    from: Queryable = this.pool,
  ): Promise<IdentifierRecord | null> {
    return one(from, 'by-metadata', BY_METADATA, [namingAuthority, bytea(metadataKey)]);
  }

  /** The identifier in a naming authority that has one of these alternates, and the alternate. */
  async findByAlternates(
    namingAuthority: string,
    keys: readonly CanonicalName['key'][],
    from: Queryable = this.pool,
  ): Promise<{ record: IdentifierRecord; key: CanonicalName['key'] } | null> {
    const values = [namingAuthority, keys.map(bytea)];
    const { rows } = await from.query<IdentifierRow & { key: CanonicalName['key'] }>({ text: BY_ALTERNATES, values });
    const [row] = rows;
    return row === undefined ? null : { record: recordOf(row), key: row.key };
  }

  /** @param index the index in the request; a metadata record has the next one. */
  async findByRequest(
    client: string,
    requestKey: string,
    index = 0,
    from: Queryable = this.pool,
  ): Promise<MintedByRequest | null> {
    const values = [client, requestKey, index];
    const { rows } = await from.query<IdentifierRow & { fingerprint: Digest }>({
      name: 'by-request',
      text: BY_REQUEST,
      values,
    });
    const [object, metadata] = rows;
    if (object === undefined) return null;
    return {
      record: recordOf(object),
      metadataRecord: metadata === undefined ? null : recordOf(metadata),
      fingerprint: object.fingerprint,
    };
  }

  /** In their original order and in any state. */
  async findByReservation(reservation: string): Promise<IdentifierRecord[]> {
    const { rows } = await this.pool.query<IdentifierRow>({ text: BY_RESERVATION, values: [reservation] });
    return rows.map((row) => recordOf(row));
  }

  /**
   * @param at the time of a change, with which leases are compared; by default that of the transaction.
   * @returns the existing records, in the order of `ids`.
   */
  async findByIds(ids: readonly bigint[], from: Queryable = this.pool, at?: Date): Promise<IdentifierRecord[]> {
    const { rows } = await from.query<IdentifierRow>({ text: BY_IDS, values: [ids.map(String)] });
    const found = new Map(
      rows.map((row) => [row.id, recordOf(row, at === undefined ? row.expired : isExpired(row, at))]),
    );
    return ids.flatMap((id) => found.get(id.toString()) ?? []);
  }

  /** Expired reservations whose expiry is not recorded, as they are stored. */
  async findExpiredLeases(ids: readonly bigint[], from: Queryable, at: Date): Promise<IdentifierRecord[]> {
    const values = [ids.map(String), at.toISOString()];
    const { rows } = await from.query<IdentifierRow>({ text: UNWRITTEN_EXPIRATIONS, values });
    return rows.map((row) => recordOf(row, false));
  }

  /** The oldest expired reservations whose expiry is not recorded. */
  async findExpiredIds(limit: number): Promise<bigint[]> {
    const { rows } = await this.pool.query<{ id: string }>({ text: EXPIRED_IDS, values: [limit] });
    return rows.map(({ id }) => BigInt(id));
  }

  /** One page in order of minting, after the last record of the previous page. Large records shorten it. */
  async page(filter: PageFilter, limit: number, after: PageCursor | undefined): Promise<FoundPage> {
    const records: IdentifierRecord[] = [];
    for (let most = FIRST_READ; ; most *= READ_GROWTH) {
      const wanted = Math.min(most, limit - records.length);
      const query = pageQuery(filter, wanted + 1, records.at(-1) ?? after);
      const found = (await this.pool.query<IdentifierRow & PageRow>(query)).rows.slice(0, wanted);
      for (const row of found) records.push(recordOf(row));
      const hasNext = found.at(-1)?.hasNext ?? false;
      if (!hasNext || found.length < wanted || records.length === limit) return { records, hasNext };
    }
  }
}

/** The same condition as `EXPIRED_SQL`, at a given time. */
function isExpired({ state, leaseUntil }: IdentifierRow, at: Date): boolean {
  return state === 'reserved' && leaseUntil !== null && leaseUntil <= at;
}

async function one(from: Queryable, name: string, text: string, values: unknown[]): Promise<IdentifierRecord | null> {
  const { rows } = await from.query<IdentifierRow>({ name, text, values });
  return rows[0] === undefined ? null : recordOf(rows[0]);
}
