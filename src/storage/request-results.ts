import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL } from '../database/pool.js';
import type { Problem } from '../problem/problem.js';
import { keyReused, requestInFlight } from '../problem/storage-problems.js';
import { MOST_UNMEASURED, arrayOf, hiddenArrays, prepared } from './statement.js';
import type { Digest } from '../registry/uuid.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { type IdentifierRow, recordColumns, recordOf } from './identifiers/identifier-row.js';
import { noneWhenViolated } from './identifiers/identifier-writer.js';
import type { RequestIndex } from '../registry/new-identifier.js';
import { HAS_STANDBY, type Queryable, Transactions } from './transactions.js';

/** A request with an Idempotency-Key. The index is 0 for a whole request, and higher for the mint of a line of a stream. */
export interface KeyedMint extends RequestIndex {
  readonly client: string;
}

/**
 * How an Idempotency-Key was used. A mint stores its key in the row of the identifier, which costs less than a row for the key. Results
 * without a new identifier are in the table "request", and results of lines and parts of a stream in "request_part".
 */
export interface KeyUse {
  readonly minted: {
    readonly hash: Digest;
    readonly ids: { readonly id: string; readonly metadataRecordId?: string };
    /** The identifier, if it was read with its key. */
    readonly record?: IdentifierRecord;
  } | null;
  /** The stored result as JSON, and the fingerprint of its request. */
  readonly outcome: { readonly hash: Digest; readonly text: string } | null;
  /** Whether a request of another kind used the key: a stream instead of a single request, or the reverse. */
  readonly isOther: boolean;
  readonly isInFlight: boolean;
  /** See `Conflicts.hasStandby`. */
  readonly hasStandby: boolean;
}

/** What an earlier request left: the IDs of the identifiers that it minted, or its stored result as JSON. */
export type Earlier = NonNullable<KeyUse['minted']>['ids'] | { readonly text: string };

/**
 * @returns what an earlier request left; a Problem IDEMPOTENCY_KEY_REUSED if that request was a different one, or REQUEST_IN_FLIGHT while
 * it runs; null for an unused key.
 */
export function earlierOf(
  { minted, outcome, isOther, isInFlight }: KeyUse,
  fingerprint: Digest,
): Earlier | Problem | null {
  const hash = minted?.hash ?? outcome?.hash ?? null;
  if (hash !== null && hash !== fingerprint) return keyReused();
  if (minted !== null) return minted.ids;
  if (outcome !== null) return { text: outcome.text };
  if (isOther) return keyReused();
  return isInFlight ? requestInFlight() : null;
}

/** A result that is not in the row of an identifier. */
export interface NewResult {
  readonly mint: KeyedMint;
  readonly result: object;
  /** The existing identifier and the key of its metadata ID; null for a rejection. */
  readonly found: { readonly id: bigint; readonly metadataKey: Digest } | null;
}

/** A row has the results of at most 2^10 indexes, so that a range of first indexes suffices to find it. */
const PART_BITS = 10;

/**
 * $1: ordinals; $2: clients; $3: keys; $4: indexes. The index of a metadata record follows the index of its object. 4941177: the space of
 * the locks of keys, as in `idempotency.ts`. `min` reads one row. For OFFSET 0, see "Planner assumptions" in architecture.md. If the key
 * minted an identifier, the other columns are not needed and not computed.
 * @param minted columns of the minted identifier, and the table that has them.
 */
const findUses = (minted: { columns: string; table: string }): string => `
  SELECT w.ordinal, i.*, m.id AS "metadataRecordId", r.hash AS hash, r.outcome,
         i.id IS NULL AND NOT pg_try_advisory_xact_lock_shared(4941177, hashtext(w.client || ' ' || w.key)) AS "isInFlight",
         CASE WHEN i.id IS NOT NULL THEN false
              WHEN w.place = 0
              THEN EXISTS (SELECT FROM request_part p WHERE p.client = w.client AND p.key = w.key OFFSET 0)
                   OR (SELECT min(o.request_index) FROM identifier o WHERE o.client = w.client AND o.request_key = w.key) IS NOT NULL
              ELSE EXISTS (SELECT FROM identifier o
                           WHERE o.client = w.client AND o.request_key = w.key AND o.request_index = 0 OFFSET 0)
         END AS "isOther", ${HAS_STANDBY} AS "hasStandby"
  FROM unnest(${hiddenArrays('int', 'text', 'text', 'int')}) AS w(ordinal, client, key, place)
  LEFT JOIN LATERAL (
    SELECT x.request_hash AS "mintedHash", ${minted.columns} FROM ${minted.table} x
    WHERE x.client = w.client AND x.request_key = w.key AND x.request_index = w.place OFFSET 0) i ON true
  LEFT JOIN LATERAL (
    SELECT x.hash, x.outcome FROM request x WHERE i.id IS NULL AND x.client = w.client AND x.key = w.key OFFSET 0) r ON true
  LEFT JOIN LATERAL (
    SELECT x.id FROM identifier x
    WHERE i.id IS NOT NULL AND x.client = w.client AND x.request_key = w.key AND x.request_index = w.place + 1 OFFSET 0) m ON true`;

const FIND_USES = findUses({ columns: 'x.id', table: 'identifier' });
const FIND_RECORDS = findUses({ columns: recordColumns('x'), table: 'identifier_record' });

/** $1: clients; $2: keys; $3: the first of the 2^10 indexes whose results can be in one row. */
const FIND_PARTS = `
  SELECT w.client, w.key, p.places, p.outcomes FROM unnest($1::text[], $2::text[], $3::int[]) AS w(client, key, first)
  CROSS JOIN LATERAL (
    SELECT x.places, x.outcomes FROM request_part x WHERE x.client = w.client AND x.key = w.key
      AND x.place BETWEEN w.first AND w.first + 1023 OFFSET 0) p`;

/**
 * $1 to $7: the results. Locks the keys, and stores results whose index is free and whose identifier, if any, still has its metadata ID.
 * Lines of a chunk share a row.
 */
const STORE = `
  WITH input AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::uuid[], $5::text[], $6::bigint[], $7::uuid[])
      WITH ORDINALITY AS w(client, key, place, hash, outcome, found_id, metadata_key, n)
  ), storable AS MATERIALIZED (
    SELECT w.* FROM input w
    WHERE w.n IN (SELECT usable_request_places($1::text[], $2::text[], $3::int[]))
      AND (w.found_id IS NULL
           OR EXISTS (SELECT FROM identifier i WHERE i.id = w.found_id AND i.metadata_key = w.metadata_key OFFSET 0))
  ), of_mints AS (
    INSERT INTO request (client, key, hash, outcome) SELECT client, key, hash, outcome FROM storable WHERE place = 0
  ), of_lines AS (
    INSERT INTO request_part (client, key, place, places, outcomes)
    SELECT client, key, min(place), array_agg(place ORDER BY place), '[' || string_agg(outcome, ',' ORDER BY place) || ']'
    FROM storable WHERE place > 0 GROUP BY client, key, place >> 10
  )
  SELECT n::int - 1 AS ordinal FROM storable`;

@Injectable()
export class RequestResults {
  constructor(
    @Inject(HOT_POOL) private readonly pool: pg.Pool,
    private readonly transactions: Transactions,
  ) {}

  /** @param withRecords whether to read the minted identifiers, which is done for at most `MOST_UNMEASURED` requests. */
  async find(requests: readonly KeyedMint[], from: Queryable = this.pool, withRecords = false): Promise<KeyUse[]> {
    if (requests.length === 0) return [];
    const values = [
      arrayOf(requests.map((_, ordinal) => ordinal)),
      arrayOf(requests.map(({ client }) => client)),
      arrayOf(requests.map(({ key }) => key)),
      arrayOf(requests.map(({ index }) => index)),
    ];
    const hasRecords = withRecords && requests.length <= MOST_UNMEASURED;
    const query = hasRecords
      ? { name: 'find-keyed-records', text: FIND_RECORDS, values }
      : prepared('find-key-uses', FIND_USES, values, requests.length);
    const { rows } = await from.query<UseRow>(query);
    const uses = new Map(rows.map((row) => [row.ordinal, row]));
    const ofLines = await this.findLines(
      requests.filter((_, ordinal) => uses.get(ordinal)?.mintedHash == null),
      from,
    );
    return requests.map((request, ordinal): KeyUse => {
      const row = uses.get(ordinal) ?? UNUSED;
      const { mintedHash, id, metadataRecordId, hash, outcome, isOther, isInFlight, hasStandby } = row;
      const stored = hash === null || outcome === null ? ofLines.get(resultKey(request)) : { hash, text: outcome };
      const ids = id === null ? null : metadataRecordId === null ? { id } : { id, metadataRecordId };
      const record = hasRecords && ids !== null ? { record: recordOf(row as IdentifierRow) } : {};
      const minted = mintedHash === null || ids === null ? null : { hash: mintedHash, ids, ...record };
      return { minted, outcome: stored ?? null, isOther, isInFlight, hasStandby };
    });
  }

  /**
   * Stores results, and returns those that were stored; the requests of the remaining results must be decided again.
   * @param transaction the transaction of the change; if another request has used a key, a unique violation aborts it.
   */
  async store(results: readonly NewResult[], transaction?: Queryable): Promise<ReadonlySet<NewResult>> {
    if (results.length === 0) return new Set();
    const values = [
      arrayOf(results.map(({ mint }) => mint.client)),
      arrayOf(results.map(({ mint }) => mint.key)),
      arrayOf(results.map(({ mint }) => mint.index)),
      arrayOf(results.map(({ mint }) => mint.fingerprint)),
      results.map(({ mint, result }) =>
        JSON.stringify(mint.index === 0 ? result : { ...result, hash: mint.fingerprint }),
      ),
      arrayOf(results.map(({ found }) => found?.id.toString() ?? null)),
      arrayOf(results.map(({ found }) => found?.metadataKey ?? null)),
    ];
    const write = async (on: Queryable): Promise<{ ordinal: number }[]> =>
      (await on.query<{ ordinal: number }>(prepared('store-results', STORE, values, results.length))).rows;
    const rows =
      transaction === undefined ? await noneWhenViolated(this.transactions.statement(write)) : await write(transaction);
    return new Set(rows.flatMap(({ ordinal }) => results[ordinal] ?? []));
  }

  private async findLines(
    mints: readonly KeyedMint[],
    from: Queryable,
  ): Promise<Map<string, NonNullable<KeyUse['outcome']>>> {
    const found = new Map<string, NonNullable<KeyUse['outcome']>>();
    const ranges = new Map<string, { client: string; key: string; first: number }>();
    for (const { client, key, index } of mints) {
      const first = (index >> PART_BITS) << PART_BITS;
      if (index > 0) ranges.set(resultKey({ client, key, index: first }), { client, key, first });
    }
    if (ranges.size === 0) return found;
    const all = [...ranges.values()];
    const { rows } = await from.query<PartRow>({
      name: 'find-request-parts',
      text: FIND_PARTS,
      values: [
        arrayOf(all.map(({ client }) => client)),
        arrayOf(all.map(({ key }) => key)),
        arrayOf(all.map(({ first }) => first)),
      ],
    });
    for (const { client, key, places, outcomes } of rows) {
      const results = JSON.parse(outcomes) as readonly { readonly hash: Digest }[];
      results.forEach((result, at) => {
        const outcome = { hash: result.hash, text: JSON.stringify(result) };
        found.set(resultKey({ client, key, index: places[at] ?? 0 }), outcome);
      });
    }
    return found;
  }
}

/** A row of `FIND_RECORDS` also has the columns of the record, which are null without one. */
interface UseRow extends Partial<Omit<IdentifierRow, 'id'>> {
  readonly ordinal: number;
  readonly mintedHash: Digest | null;
  readonly id: string | null;
  readonly metadataRecordId: string | null;
  readonly hash: Digest | null;
  readonly outcome: string | null;
  readonly isOther: boolean;
  readonly isInFlight: boolean;
  readonly hasStandby: boolean;
}

const UNUSED: Omit<UseRow, 'ordinal'> = {
  ...{ mintedHash: null, id: null, metadataRecordId: null, hash: null, outcome: null },
  ...{ isOther: false, isInFlight: false, hasStandby: false },
};

interface PartRow {
  readonly client: string;
  readonly key: string;
  readonly places: readonly number[];
  readonly outcomes: string;
}

function resultKey({ client, key, index }: Pick<KeyedMint, 'client' | 'key' | 'index'>): string {
  return JSON.stringify([client, key, index]);
}
