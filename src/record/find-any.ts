import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { arrayOf, arrayOfDigests } from './array-parameter.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Address } from './known-authorities.js';
import { type IdentifierRow, LAPSED_SQL, RECORD_COLUMNS_SQL, recordOf } from './rows.js';
import type { StoredName } from './stored-name.js';

/** By what a name can lead to a record, the nearest first. */
export const MATCHED_BY = ['identifier', 'metadataId', 'alternateId'] as const;
export type MatchedBy = (typeof MATCHED_BY)[number];

/** A name to look for: where it would be registered, if it can be, and its key as a metadata ID or an alternate. */
export interface WantedName {
  readonly address: Address | null;
  readonly key: StoredName['key'];
}

/** A record that a name led to. */
export interface Match {
  readonly matchedBy: MatchedBy;
  readonly record: IdentifierRecord;
}

const matches = (matchedBy: MatchedBy, join: string): string => `
  SELECT w.place, '${matchedBy}' AS "matchedBy", ${RECORD_COLUMNS_SQL}
  FROM wanted w JOIN ${join} JOIN naming_authority n ON n.prefix = i.naming_authority`;

const FIND_SQL = `
  WITH wanted AS (
    SELECT * FROM unnest($1::int[], $2::text[], $3::uuid[], $4::bytea[], $5::bytea[])
      AS w(place, naming_authority, guid, local_key, key)
  ), found AS (
    ${matches('identifier', 'identifier i ON i.naming_authority = w.naming_authority AND i.guid = w.guid')}
    UNION ALL ${matches('identifier', 'identifier i ON i.local_key = w.local_key AND i.naming_authority = w.naming_authority')}
    UNION ALL ${matches('metadataId', `identifier i ON i.metadata_key = w.key AND NOT ${LAPSED_SQL}`)}
    UNION ALL ${matches('alternateId', `alternate_identifier a ON a.key = w.key JOIN identifier i ON i.id = a.identifier_id AND NOT ${LAPSED_SQL}`)}
  )
  SELECT * FROM found ORDER BY place, "createdAt", id`;

/** Finds records by whatever names them, any number at once, in one statement. */
@Injectable()
export class FindAny {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** @returns for each name, in order, every record that it leads to: the nearest first, then in order of minting. */
  async find(names: readonly WantedName[]): Promise<Match[][]> {
    const { rows } = await this.pool.query<IdentifierRow & { place: number; matchedBy: MatchedBy }>(FIND_SQL, [
      arrayOf(names.map((_, place) => place)),
      arrayOf(names.map(({ address }) => address?.namingAuthority ?? null)),
      arrayOf(names.map(({ address }) => address?.guid ?? null)),
      arrayOfDigests(names.map(({ address }) => address?.localKey ?? null)),
      arrayOfDigests(names.map(({ key }) => key)),
    ]);
    const found = names.map((): Match[] => []);
    for (const row of rows) found[row.place]?.push({ matchedBy: row.matchedBy, record: recordOf(row) });
    const nearness = ({ matchedBy }: Match): number => MATCHED_BY.indexOf(matchedBy);
    return found.map((each) => each.sort((a, b) => nearness(a) - nearness(b)));
  }
}
