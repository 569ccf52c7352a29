import { Injectable } from '@nestjs/common';
import { errorOfLaterPart, isLockTimeout } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import { requestInFlight } from '../problem/storage-problems.js';
import type { Actor } from '../registry/change.js';
import { type Digest, digestOf } from '../registry/uuid.js';
import { RequestResults, earlierOf } from './request-results.js';
import { type Queryable, Transactions } from './transactions.js';

export interface KeyedRequest {
  readonly client: string;
  readonly key: string;
  readonly fingerprint: Digest;
}

export function keyedRequest(actor: Actor, key: string | undefined, content: unknown): KeyedRequest | null {
  if (key === undefined) return null;
  return { client: actor.client, key, fingerprint: digestOf(JSON.stringify(content)) };
}

export interface Replayable<T> {
  readonly result: T;
  readonly replayed: boolean;
}

/** The result of a change made now, or what an earlier request with the same key stored. */
export type Once<T, S> =
  { readonly result: T; readonly replayed: false } | { readonly stored: S; readonly replayed: true };

const REQUEST_LOCK = 0x526571;

const MAX_PART = 2_147_483_647;

/** $1: the client; $2: the Idempotency-Key. 4941177 ("Key" in ASCII): the space of these locks, as in `lock_request_key`. */
const WAIT_FOR_KEY = "SELECT pg_advisory_xact_lock(4941177, hashtext($1 || ' ' || $2))";

/** Runs requests once: the result is stored in the transaction of the change, and a replay returns it. */
@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly transactions: Transactions,
    private readonly results: RequestResults,
  ) {}

  /**
   * Runs a change once and stores its result as JSON. Without a key (null), the change always runs.
   * @throws Problem IDEMPOTENCY_KEY_REUSED, or REQUEST_IN_FLIGHT while the first request runs.
   */
  async run<T>(request: KeyedRequest | null, work: (transaction: Queryable) => Promise<T>): Promise<Replayable<T>> {
    const once = await this.runOnce<T, T>(request, async (transaction) => {
      const result = await work(transaction);
      return { result, stored: result };
    });
    return { result: once.replayed ? once.stored : once.result, replayed: once.replayed };
  }

  /** Whether an earlier request with the same key has a result. Callers ask this before `run`. @throws Problem IDEMPOTENCY_KEY_REUSED */
  async hasResult(request: KeyedRequest | null): Promise<boolean> {
    if (request === null) return false;
    return this.transactions.run(async (transaction) => (await this.findResult(transaction, request)) !== null);
  }

  /** Like `run`, but stores `stored` instead of `result`. */
  async runOnce<T, S>(
    request: KeyedRequest | null,
    work: (transaction: Queryable) => Promise<{ readonly result: T; readonly stored: S }>,
  ): Promise<Once<T, S>> {
    return this.transactions.run(async (transaction) => {
      if (request !== null) {
        await lockRequest(transaction, request);
        const earlier = await this.findResult(transaction, request);
        if (earlier !== null) return { stored: JSON.parse(earlier) as S, replayed: true };
      }
      const { result, stored } = await work(transaction);
      if (request !== null) await storeResult(transaction, request, stored);
      return { result, replayed: false };
    });
  }

  /**
   * Runs a large change once, with one transaction for each part, in order. A repeat after a failure continues with the first part without
   * a stored outcome.
   * @param count the number of parts, the same for every repeat.
   * @returns the outcomes of all parts; `replayed` if each had been stored before.
   */
  async inParts<T>(
    request: KeyedRequest | null,
    count: number,
    work: (transaction: Queryable, part: number) => Promise<T>,
  ): Promise<Replayable<T[]>> {
    const outcomes: T[] = [];
    let replayed = true;
    while (outcomes.length < count) {
      const part = outcomes.length;
      const made = await this.runPart(part === 0, async (transaction) => {
        if (request === null) return { known: [], outcome: await work(transaction, part) };
        // A duplicate of the request may have completed a part meanwhile.
        await (part === 0 ? lockRequest(transaction, request) : waitForRequest(transaction, request));
        const earlier = await this.findResult(transaction, request);
        const known = earlier === null ? [] : await findParts<T>(transaction, request, part);
        if (known.length > 0) return { known };
        const outcome = await work(transaction, part);
        if (earlier === null) await storeResult(transaction, request, { parts: count });
        await storePart(transaction, request, part, outcome);
        return { known, outcome };
      });
      outcomes.push(...made.known);
      if (made.outcome !== undefined) {
        outcomes.push(made.outcome);
        replayed = false;
      }
    }
    return { result: outcomes, replayed };
  }

  /**
   * Runs lines of a stream once, in one transaction. The key and the fingerprint are those of the whole stream.
   * @param part the first and the last line that the transaction can have; both depend only on the numbers of its lines.
   * @param work receives the results that earlier requests stored, and returns the results of the other lines.
   */
  async inStream<T extends { readonly line: number }>(
    request: KeyedRequest | null,
    part: { readonly range: { readonly first: number; readonly last: number }; readonly isFirst: boolean },
    work: (transaction: Queryable, stored: readonly T[]) => Promise<readonly T[]>,
  ): Promise<{ readonly stored: readonly T[]; readonly made: readonly T[] }> {
    const { first, last } = part.range;
    return this.runPart(part.isFirst, async (transaction) => {
      if (request === null) return { stored: [], made: await work(transaction, []) };
      await waitForRequest(transaction, request);
      const earlier = await this.findResult(transaction, request);
      const parts = earlier === null ? [] : await findParts<T[]>(transaction, request, first, last);
      const stored = parts.flat();
      const made = await work(transaction, stored);
      if (earlier === null) await storeResult(transaction, request, {});
      if (made[0] !== undefined) await storePart(transaction, request, made[0].line, made);
      return { stored, made };
    });
  }

  private async findResult(from: Queryable, request: KeyedRequest): Promise<string | null> {
    const [use] = await this.results.find([{ ...request, index: 0 }], from);
    const earlier = use === undefined ? null : earlierOf({ ...use, isInFlight: false }, request.fingerprint);
    if (earlier instanceof Problem) throw earlier;
    return earlier !== null && 'text' in earlier ? earlier.text : null;
  }

  private async runPart<T>(isFirst: boolean, work: (transaction: Queryable) => Promise<T>): Promise<T> {
    try {
      return await this.transactions.run(work);
    } catch (error) {
      throw isFirst ? error : errorOfLaterPart(error);
    }
  }
}

/** Locks a key. Fails at once if another request has locked it with this function, because that request can take a long time. */
async function lockRequest(transaction: Queryable, request: KeyedRequest): Promise<void> {
  const { client, key } = request;
  const name = Buffer.from(digestOf(JSON.stringify([client, key])), 'hex').readInt32BE();
  const { rows } = await transaction.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1, $2) AS locked', [
    REQUEST_LOCK,
    name,
  ]);
  if (rows[0]?.locked !== true) throw requestInFlight();
  await waitForRequest(transaction, request);
}

/** Locks a key, after waiting for a transaction that uses the key: a mint, or a part of the same request. */
async function waitForRequest(transaction: Queryable, { client, key }: KeyedRequest): Promise<void> {
  try {
    await transaction.query(WAIT_FOR_KEY, [client, key]);
  } catch (error) {
    throw isLockTimeout(error) ? requestInFlight() : error;
  }
}

async function storeResult(
  on: Queryable,
  { client, key, fingerprint: hash }: KeyedRequest,
  outcome: unknown,
): Promise<void> {
  await on.query('INSERT INTO request (client, key, hash, outcome) VALUES ($1, $2, $3, $4)', [
    client,
    key,
    hash,
    JSON.stringify(outcome),
  ]);
}

async function findParts<T>(
  from: Queryable,
  { client, key }: KeyedRequest,
  first: number,
  last = MAX_PART,
): Promise<T[]> {
  const { rows } = await from.query<{ outcomes: string }>(
    'SELECT outcomes FROM request_part WHERE client = $1 AND key = $2 AND place BETWEEN $3 AND $4 ORDER BY place',
    [client, key, first, last],
  );
  return rows.map(({ outcomes }) => JSON.parse(outcomes) as T);
}

async function storePart(on: Queryable, { client, key }: KeyedRequest, part: number, outcome: unknown): Promise<void> {
  await on.query(
    'INSERT INTO request_part (client, key, place, places, outcomes) VALUES ($1, $2, $3, ARRAY[$3::int], $4)',
    [client, key, part, JSON.stringify(outcome)],
  );
}
