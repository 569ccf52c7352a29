import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { arrayOf, arrayOfDigests } from '../array-parameter.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Address } from '../../registry/naming-authority-snapshot.js';
import { GUID_SQL, type IdentifierRow, EXPIRED_SQL, RECORD_COLUMNS_SQL, recordOf } from './identifier-row.js';
import type { CanonicalName } from '../../registry/canonical-name.js';

/** The properties of a record that a text can match, in order of preference. */
export const MATCHED_BY = ['identifier', 'metadataId', 'alternateId', 'target'] as const;
export type MatchedBy = (typeof MATCHED_BY)[number];

/** Maximum candidates of one bare GUID or target. */
export const MAX_CANDIDATES = 10;

/** One interpretation of a text: a name, a GUID under any naming authority, or a target. */
export interface SearchKey {
  readonly address?: Address | null;
  readonly key?: CanonicalName['key'];
  readonly guid?: string;
  readonly target?: string;
}

export interface Match {
  readonly reading: number;
  readonly matchedBy: MatchedBy;
  readonly identifier: string;
}

export interface Matches {
  readonly matches: readonly Match[];
  readonly record: IdentifierRecord | null;
}

type MatchRow = IdentifierRow & { ordinal: number; reading: number; matchedBy: MatchedBy; identifier: string };

const IS_VISIBLE = '($9::text[] IS NULL OR i.naming_authority = ANY($9::text[]))';

const matches = (matchedBy: MatchedBy, join: string): string => `
  SELECT w.ordinal, w.reading, ${MATCHED_BY.indexOf(matchedBy)} AS nearness, '${matchedBy}' AS "matchedBy", i.id, i.created_at,
         i.naming_authority || '/' || coalesce(i.local_name, ${GUID_SQL('i')}) AS identifier
  FROM input w JOIN ${join}`;

// A record can have 800 KB, so only the first match of each text is read. OFFSET 0: see the planner assumptions.
const FIND_SQL = `
  WITH input AS (
    SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::uuid[], $5::bytea[], $6::bytea[], $7::uuid[], $8::text[])
      AS w(ordinal, reading, naming_authority, guid, local_key, key, bare_guid, target)
  ), found AS (
    ${matches('identifier', `identifier i ON i.naming_authority = w.naming_authority AND i.guid = w.guid AND ${IS_VISIBLE}`)}
    UNION ALL ${matches('identifier', `identifier i ON i.local_key = w.local_key AND i.naming_authority = w.naming_authority AND ${IS_VISIBLE}`)}
    UNION ALL ${matches('metadataId', `identifier i ON i.metadata_key = w.key AND NOT ${EXPIRED_SQL} AND ${IS_VISIBLE}`)}
    UNION ALL ${matches('alternateId', `LATERAL (SELECT x.identifier_id FROM alternate_identifier x WHERE x.key = w.key OFFSET 0) a ON true JOIN identifier i ON i.id = a.identifier_id AND NOT ${EXPIRED_SQL} AND ${IS_VISIBLE}`)}
    UNION ALL ${matches('identifier', `LATERAL (SELECT * FROM identifier i WHERE i.guid = w.bare_guid AND ${IS_VISIBLE} ORDER BY i.created_at, i.id LIMIT ${MAX_CANDIDATES}) i ON true`)}
    UNION ALL ${matches('target', `LATERAL (SELECT * FROM identifier i WHERE i.target = w.target AND ${IS_VISIBLE} ORDER BY i.created_at, i.id LIMIT ${MAX_CANDIDATES}) i ON true`)}
  ), ordered AS (
    SELECT *, min(reading) OVER (PARTITION BY ordinal) AS first_reading,
           row_number() OVER (PARTITION BY ordinal ORDER BY reading, nearness, created_at, id) AS number
    FROM found
  )
  SELECT o.ordinal, o.reading, o."matchedBy", o.identifier, r.*
  FROM ordered o LEFT JOIN LATERAL (
    SELECT ${RECORD_COLUMNS_SQL} FROM identifier i JOIN naming_authority n ON n.prefix = i.naming_authority
    WHERE i.id = o.id AND o.number = 1 OFFSET 0
  ) r ON true
  WHERE o.reading = o.first_reading ORDER BY o.ordinal, o.number`;

/** Finds records for many texts in one statement. */
@Injectable()
export class IdentifierSearch {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async find(texts: readonly (readonly SearchKey[])[], visible: readonly string[] | null = null): Promise<Matches[]> {
    const searched = texts.flatMap((keys, ordinal) => keys.map((key, reading) => ({ ordinal, reading, ...key })));
    const found = texts.map((): { matches: Match[]; record: IdentifierRecord | null } => ({
      matches: [],
      record: null,
    }));
    if (searched.length === 0) return found;
    const { rows } = await this.pool.query<MatchRow>(FIND_SQL, [
      arrayOf(searched.map(({ ordinal }) => ordinal)),
      arrayOf(searched.map(({ reading }) => reading)),
      arrayOf(searched.map(({ address }) => address?.namingAuthority ?? null)),
      arrayOf(searched.map(({ address }) => address?.guid ?? null)),
      arrayOfDigests(searched.map(({ address }) => address?.localKey ?? null)),
      arrayOfDigests(searched.map(({ key }) => key ?? null)),
      arrayOf(searched.map(({ guid }) => guid ?? null)),
      arrayOf(searched.map(({ target }) => target ?? null)),
      visible,
    ]);
    for (const row of rows) {
      const each = found[row.ordinal];
      if (each === undefined) continue;
      if (each.matches.length === 0) each.record = recordOf(row);
      each.matches.push({ reading: row.reading, matchedBy: row.matchedBy, identifier: row.identifier });
    }
    return found;
  }
}
