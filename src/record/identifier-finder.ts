import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL } from '../database/pool.js';
import { arrayOf, arrayOfDigests } from './array-parameter.js';
import { Gathering } from './gathering.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Address } from './known-authorities.js';
import { type IdentifierRow, LAPSED_SQL, RECORD_COLUMNS_SQL, recordOf } from './rows.js';
import type { StoredName } from './stored-name.js';

/** Look-ups that wait while two groups are under way go together, 100 at most: more would keep the first one waiting. */
const LIMITS = { together: 100, inFlight: 2, waiting: 5000 };

/** More of one metadata ID than this are a list, to be paged through: then it does not matter which of them were found. */
const FEW = 10;

const BY_ADDRESS = `
  SELECT w.place, ${RECORD_COLUMNS_SQL}
  FROM unnest($1::int[], $2::text[], $3::uuid[]) AS w(place, naming_authority, guid)
  JOIN identifier i ON i.naming_authority = w.naming_authority AND i.guid = w.guid
  JOIN naming_authority n ON n.prefix = i.naming_authority`;

const BY_LOCAL_KEY = `
  SELECT w.place, ${RECORD_COLUMNS_SQL}
  FROM unnest($1::int[], $2::text[], $3::bytea[]) AS w(place, naming_authority, local_key)
  JOIN identifier i ON i.local_key = w.local_key AND i.naming_authority = w.naming_authority
  JOIN naming_authority n ON n.prefix = i.naming_authority`;

const BY_METADATA = `
  SELECT w.place, ${RECORD_COLUMNS_SQL}
  FROM unnest($1::int[], $2::bytea[]) AS w(place, key)
  JOIN LATERAL (
    SELECT * FROM identifier i WHERE i.metadata_key = w.key AND NOT ${LAPSED_SQL} LIMIT ${FEW + 1}
  ) i ON true
  JOIN naming_authority n ON n.prefix = i.naming_authority
  ORDER BY w.place, i.created_at, i.id`;

/**
 * Finds single records for many who ask at once: look-ups that arrive while others are under way become one statement. What
 * is found does not depend on who asks; whether they may see it is decided where they ask.
 */
@Injectable()
export class IdentifierFinder {
  private readonly byGuid = new Gathering<Address, IdentifierRecord | null>(
    async (addresses) =>
      singles(
        addresses,
        await this.rows('find-by-guid', BY_ADDRESS, addresses, arrayOf(addresses.map(({ guid }) => guid))),
      ),
    LIMITS,
  );

  private readonly byLocalKey = new Gathering<Address, IdentifierRecord | null>(
    async (addresses) =>
      singles(
        addresses,
        await this.rows(
          'find-by-local-key',
          BY_LOCAL_KEY,
          addresses,
          arrayOfDigests(addresses.map(({ localKey }) => localKey)),
        ),
      ),
    LIMITS,
  );

  private readonly byMetadata = new Gathering<StoredName['key'], IdentifierRecord[]>(
    (keys) => this.described(keys),
    LIMITS,
  );

  constructor(@Inject(HOT_POOL) private readonly pool: pg.Pool) {}

  async find(address: Address): Promise<IdentifierRecord | null> {
    return (address.guid === null ? this.byLocalKey : this.byGuid).add(address);
  }

  /**
   * The identifiers that a metadata ID describes, in order of minting.
   * @returns null when they are more than a few: then a list is to be read by pages.
   */
  async findDescribed(metadataKey: StoredName['key']): Promise<IdentifierRecord[] | null> {
    const found = await this.byMetadata.add(metadataKey);
    return found.length > FEW ? null : found;
  }

  /** How many look-ups wait. */
  get depth(): number {
    return this.byGuid.depth + this.byLocalKey.depth + this.byMetadata.depth;
  }

  private async rows(
    name: string,
    text: string,
    addresses: readonly Address[],
    keys: string | null,
  ): Promise<(IdentifierRow & { place: number })[]> {
    const values = [
      arrayOf(addresses.map((_, place) => place)),
      arrayOf(addresses.map(({ namingAuthority }) => namingAuthority)),
      keys,
    ];
    return (await this.pool.query<IdentifierRow & { place: number }>({ name, text, values })).rows;
  }

  private async described(keys: readonly StoredName['key'][]): Promise<IdentifierRecord[][]> {
    const values = [arrayOf(keys.map((_, place) => place)), arrayOfDigests(keys)];
    const query = { name: 'find-described', text: BY_METADATA, values };
    const { rows } = await this.pool.query<IdentifierRow & { place: number }>(query);
    const found = keys.map((): IdentifierRecord[] => []);
    for (const row of rows) found[row.place]?.push(recordOf(row));
    return found;
  }
}

function singles(
  addresses: readonly Address[],
  rows: readonly (IdentifierRow & { place: number })[],
): (IdentifierRecord | null)[] {
  const found = new Map(rows.map((row) => [row.place, row]));
  return addresses.map((_, place) => {
    const row = found.get(place);
    return row === undefined ? null : recordOf(row);
  });
}
