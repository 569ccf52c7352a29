import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL } from '../database/pool.js';
import { arrayOf, arrayOfDigests } from './array-parameter.js';
import type { Digest } from './digest.js';
import type { IdentifierRecord } from './identifier-record.js';
import { MAX_PLACE, type NewIdentifier } from './new-identifier.js';
import { prepared } from './prepared.js';
import { type IdentifierRow, RECORD_COLUMNS_SQL, recordOf } from './rows.js';
import type { Queryable } from './transactions.js';

/** What can keep a new identifier from being inserted. */
export interface MetLaws {
  /** The identifier that a request with the same Idempotency-Key minted, and the digest of that request's meaning. */
  readonly request: { readonly record: IdentifierRecord; readonly hash: Digest } | null;
  /** The metadata record that the same request minted beside it. */
  readonly requestMetadataRecord: IdentifierRecord | null;
  /** Whether the key is that of a stream, and this is no line of it. */
  readonly otherRequest: boolean;
  /** What an earlier request with the key came to, where it minted nothing. */
  readonly outcome: { readonly hash: Digest; readonly text: string } | null;
  /** The identifier of the naming authority that the metadata ID describes. */
  readonly metadata: IdentifierRecord | null;
  /** The identifier that has the name already, where one was asked for. */
  readonly address: IdentifierRecord | null;
  /** The identifier that has one of the alternates, and the index of that one. */
  readonly alternate: { readonly record: IdentifierRecord; readonly index: number } | null;
}

type Law = 'request' | 'requestMetadataRecord' | 'otherRequest' | 'metadata' | 'address' | 'alternate';

interface MetRow extends IdentifierRow {
  readonly place: number;
  readonly law: Law;
  readonly hash: Digest | null;
  readonly index: number | null;
}

const met = (law: string, join: string, hash = 'NULL', index = 'NULL::int'): string => `
  SELECT w.place, ${law} AS law, ${hash} AS hash, ${index} AS index, ${RECORD_COLUMNS_SQL}
  FROM ${join} JOIN naming_authority n ON n.prefix = i.naming_authority`;

/** Of a repeat, its request tells everything; the same record as what describes or names something would only be read again. */
const OF_ANOTHER =
  '(i.client, i.request_key, i.request_index) IS DISTINCT FROM (w.client, w.request_key, w.request_index)';

const metElsewhere = (...parts: Parameters<typeof met>): string => `${met(...parts)} WHERE ${OF_ANOTHER}`;

const MET_SQL = `
  WITH w AS (
    SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::text[], $6::bytea[], $7::uuid[], $8::bytea[])
      AS w(place, client, request_key, request_index, naming_authority, metadata_key, guid, local_key)
  )
  ${met(
    `CASE i.request_index - w.request_index WHEN 0 THEN 'request' WHEN 1 THEN 'requestMetadataRecord' ELSE 'otherRequest' END`,
    `w JOIN LATERAL (
       SELECT * FROM identifier x WHERE x.client = w.client AND x.request_key = w.request_key
         AND x.request_index BETWEEN w.request_index AND CASE w.request_index WHEN 0 THEN ${MAX_PLACE} ELSE w.request_index + 1 END
       ORDER BY x.request_index LIMIT 2) i ON true`,
    "encode(i.request_hash, 'hex')",
  )}
  UNION ALL ${metElsewhere("'metadata'", 'w JOIN identifier i ON i.metadata_key = w.metadata_key AND i.naming_authority = w.naming_authority')}
  UNION ALL ${metElsewhere("'address'", 'w JOIN identifier i ON i.guid = w.guid AND i.naming_authority = w.naming_authority')}
  UNION ALL ${metElsewhere("'address'", 'w JOIN identifier i ON i.local_key = w.local_key AND i.naming_authority = w.naming_authority')}
  UNION ALL ${metElsewhere(
    "'alternate'",
    `unnest($9::int[], $10::int[], $11::bytea[]) AS a(place, index, key) JOIN w USING (place)
     JOIN alternate_identifier x ON x.key = a.key AND x.naming_authority = w.naming_authority
     JOIN identifier i ON i.id = x.identifier_id`,
    'NULL',
    'a.index',
  )}`;

const OUTCOME_SQL = `
  SELECT w.place, encode(r.hash, 'hex') AS hash, r.outcome FROM unnest($1::int[], $2::text[], $3::text[]) AS w(place, client, key)
  JOIN request r USING (client, key)`;

/** Finds which laws new identifiers met that the database did not take. */
@Injectable()
export class LawsMet {
  constructor(@Inject(HOT_POOL) private readonly pool: pg.Pool) {}

  /** @returns for each, in order, what is in its way now. */
  async find(items: readonly NewIdentifier[], from: Queryable = this.pool): Promise<MetLaws[]> {
    const alternates = items.flatMap((item, place) => item.alternates.map(({ key }, index) => ({ place, index, key })));
    // That a name made just now exists needs no record of it: another one is made.
    const given = items.map(({ address, ownKey }) => (ownKey === null ? null : address));
    const values = [
      arrayOf(items.map((_, place) => place)),
      arrayOf(items.map(({ actor }) => actor.client)),
      arrayOf(items.map(({ request }) => request?.key ?? null)),
      arrayOf(items.map(({ request }) => request?.index ?? null)),
      arrayOf(items.map(({ authority }) => authority.prefix)),
      arrayOfDigests(items.map(({ metadata }) => metadata?.key ?? null)),
      arrayOf(given.map((address) => address?.guid ?? null)),
      arrayOfDigests(given.map((address) => address?.localKey ?? null)),
      arrayOf(alternates.map(({ place }) => place)),
      arrayOf(alternates.map(({ index }) => index)),
      arrayOfDigests(alternates.map(({ key }) => key)),
    ];
    const { rows } = await from.query<MetRow>(prepared('met-laws', MET_SQL, values, items.length));
    const found = new Map<number, Map<Law, MetRow>>();
    for (const row of rows) {
      const laws = found.get(row.place) ?? new Map<Law, MetRow>();
      if (!laws.has(row.law)) laws.set(row.law, row);
      found.set(row.place, laws);
    }
    const outcomes = await this.findOutcomes(items, (place) => found.get(place)?.has('request') === true, from);
    return items.map((_, place) => metLaws(found.get(place) ?? new Map<Law, MetRow>(), outcomes.get(place) ?? null));
  }

  /** What requests came to that minted nothing; one whose key minted something is none of them. */
  private async findOutcomes(
    items: readonly NewIdentifier[],
    hasMinted: (place: number) => boolean,
    from: Queryable,
  ): Promise<Map<number, NonNullable<MetLaws['outcome']>>> {
    const keyed = items.flatMap(({ actor, request }, place) =>
      request === null || hasMinted(place) ? [] : [{ place, client: actor.client, key: request.key }],
    );
    if (keyed.length === 0) return new Map();
    const values = [
      arrayOf(keyed.map(({ place }) => place)),
      arrayOf(keyed.map(({ client }) => client)),
      arrayOf(keyed.map(({ key }) => key)),
    ];
    const { rows } = await from.query<{ place: number; hash: Digest; outcome: string }>(
      prepared('met-outcomes', OUTCOME_SQL, values, keyed.length),
    );
    return new Map(rows.map(({ place, hash, outcome }) => [place, { hash, text: outcome }]));
  }
}

function metLaws(laws: ReadonlyMap<Law, MetRow>, outcome: MetLaws['outcome']): MetLaws {
  const record = (law: Law): IdentifierRecord | null => {
    const row = laws.get(law);
    return row === undefined ? null : recordOf(row);
  };
  const [request, alternate] = [record('request'), record('alternate')];
  return {
    request: request === null ? null : { record: request, hash: laws.get('request')?.hash ?? '' },
    requestMetadataRecord: record('requestMetadataRecord'),
    otherRequest: laws.has('otherRequest'),
    outcome,
    metadata: record('metadata'),
    address: record('address'),
    alternate: alternate === null ? null : { record: alternate, index: laws.get('alternate')?.index ?? 0 },
  };
}

/** Reservations in the way whose lease has ended: they show no metadata ID and no alternates any more. */
export function lapsedIn({ metadata, alternate }: MetLaws): IdentifierRecord[] {
  return [
    ...(metadata?.metadataId === null ? [metadata] : []),
    ...(alternate?.record.alternateIds.length === 0 ? [alternate.record] : []),
  ];
}
