import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { type Digest, bytea } from './digest.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Address } from './known-authorities.js';
import { type PageFilter, type PagePlace, pageQuery } from './page-query.js';
import { type IdentifierRow, LAPSED_SQL, RECORD_COLUMNS_SQL, RECORD_TABLES_SQL, recordOf } from './rows.js';
import type { StoredName } from './stored-name.js';
import type { Queryable } from './transactions.js';

const SELECT = `SELECT ${RECORD_COLUMNS_SQL} FROM ${RECORD_TABLES_SQL}`;

const BY_GUID = `${SELECT} WHERE i.naming_authority = $1 AND i.guid = $2`;
const BY_LOCAL_KEY = `${SELECT} WHERE i.naming_authority = $1 AND i.local_key = $2`;
const BY_METADATA = `${SELECT} WHERE i.naming_authority = $1 AND i.metadata_key = $2`;
const BY_REQUEST = `
  SELECT ${RECORD_COLUMNS_SQL}, encode(i.request_hash, 'hex') AS "requestHash" FROM ${RECORD_TABLES_SQL}
  WHERE i.client = $1 AND i.request_key = $2 AND i.request_index BETWEEN $3 AND $3 + 1 ORDER BY i.request_index`;
const BY_IDS = `${SELECT} WHERE i.id = ANY($1::bigint[])`;
const UNWRITTEN_LAPSES = `${SELECT} WHERE i.id = ANY($1::bigint[]) AND ${LAPSED_SQL}`;
const BY_RESERVATION = `${SELECT} WHERE i.reservation = $1 ORDER BY i.id`;
const LAPSED_IDS = `SELECT i.id FROM identifier i WHERE ${LAPSED_SQL} ORDER BY i.lease_until LIMIT $1`;
const BY_ALTERNATES = `
  SELECT encode(a.key, 'hex') AS key, ${RECORD_COLUMNS_SQL} FROM alternate_identifier a JOIN ${RECORD_TABLES_SQL.replace('i JOIN', 'i ON i.id = a.identifier_id JOIN')}
  WHERE a.naming_authority = $1 AND a.key = ANY($2::bytea[])`;

/** The one that a request with an Idempotency-Key minted, and the metadata record that it minted beside. */
export interface MintedByRequest {
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
  readonly hash: Digest;
}

/** Reads records; the only reader of their table. A lease that has ended is honoured in every answer. */
@Injectable()
export class IdentifierReader {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async find(address: Address, from: Queryable = this.pool): Promise<IdentifierRecord | null> {
    const { namingAuthority, guid, localKey } = address;
    return guid === null
      ? one(from, 'by-local-key', BY_LOCAL_KEY, [namingAuthority, bytea(localKey)])
      : one(from, 'by-guid', BY_GUID, [namingAuthority, guid]);
  }

  /** The identifier of a naming authority that a metadata ID describes; there is at most one. */
  async findDescribed(
    namingAuthority: string,
    metadataKey: StoredName['key'],
    from: Queryable = this.pool,
  ): Promise<IdentifierRecord | null> {
    return one(from, 'by-metadata', BY_METADATA, [namingAuthority, bytea(metadataKey)]);
  }

  /** The identifier that has one of these alternates in a naming authority, and which. */
  async findByAlternates(
    namingAuthority: string,
    keys: readonly StoredName['key'][],
    from: Queryable = this.pool,
  ): Promise<{ record: IdentifierRecord; key: StoredName['key'] } | null> {
    const values = [namingAuthority, keys.map(bytea)];
    const { rows } = await from.query<IdentifierRow & { key: StoredName['key'] }>({ text: BY_ALTERNATES, values });
    const [row] = rows;
    return row === undefined ? null : { record: recordOf(row), key: row.key };
  }

  /** @param index the place in the request; a metadata record has the next one. */
  async findByRequest(
    client: string,
    requestKey: string,
    index = 0,
    from: Queryable = this.pool,
  ): Promise<MintedByRequest | null> {
    const values = [client, requestKey, index];
    const { rows } = await from.query<IdentifierRow & { requestHash: Digest }>({
      name: 'by-request',
      text: BY_REQUEST,
      values,
    });
    const [object, metadata] = rows;
    if (object === undefined) return null;
    return {
      record: recordOf(object),
      metadataRecord: metadata === undefined ? null : recordOf(metadata),
      hash: object.requestHash,
    };
  }

  /** Whether a request with this Idempotency-Key minted an identifier. */
  async hasRequest(client: string, requestKey: string, from: Queryable = this.pool): Promise<boolean> {
    const { rows } = await from.query('SELECT FROM identifier WHERE client = $1 AND request_key = $2 LIMIT 1', [
      client,
      requestKey,
    ]);
    return rows.length > 0;
  }

  /** The identifiers that a reservation was made of, in the order in which it named them; whatever became of them. */
  async findByReservation(reservation: string, from: Queryable = this.pool): Promise<IdentifierRecord[]> {
    const { rows } = await from.query<IdentifierRow>({ text: BY_RESERVATION, values: [reservation] });
    return rows.map((row) => recordOf(row));
  }

  /** @returns the records in the order of the ids; one that does not exist is left out. */
  async findByIds(ids: readonly bigint[], from: Queryable = this.pool): Promise<IdentifierRecord[]> {
    const { rows } = await from.query<IdentifierRow>({ text: BY_IDS, values: [ids.map(String)] });
    const found = new Map(rows.map((row) => [row.id, recordOf(row)]));
    return ids.flatMap((id) => found.get(id.toString()) ?? []);
  }

  /** Those whose lease has ended while they are still written down as reserved: as they are written down. */
  async findUnwrittenLapses(ids: readonly bigint[], from: Queryable): Promise<IdentifierRecord[]> {
    const { rows } = await from.query<IdentifierRow>({ text: UNWRITTEN_LAPSES, values: [ids.map(String)] });
    return rows.map((row) => recordOf(row, false));
  }

  /** Some identifiers whose lease has ended while they are still written down as reserved, longest ago first. */
  async findLapsedIds(limit: number): Promise<bigint[]> {
    const { rows } = await this.pool.query<{ id: string }>({ text: LAPSED_IDS, values: [limit] });
    return rows.map(({ id }) => BigInt(id));
  }

  /**
   * One page in order of minting.
   * @param after the last record of the page before.
   */
  async page(filter: PageFilter, limit: number, after: PagePlace | undefined): Promise<IdentifierRecord[]> {
    const { rows } = await this.pool.query<IdentifierRow>(pageQuery(filter, limit, after));
    return rows.map((row) => recordOf(row));
  }
}

async function one(from: Queryable, name: string, text: string, values: unknown[]): Promise<IdentifierRecord | null> {
  const { rows } = await from.query<IdentifierRow>({ name, text, values });
  return rows[0] === undefined ? null : recordOf(rows[0]);
}
