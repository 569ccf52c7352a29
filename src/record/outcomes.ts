import { Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';
import type { Actor } from './change-log.js';
import { type Digest, bytea, digestOf } from './digest.js';
import { type Queryable, Transactions } from './transactions.js';

/** The Idempotency-Key of a request, with the one who sent it and the digest of what it means. */
export interface KeyedRequest {
  readonly client: string;
  readonly key: string;
  readonly hash: Digest;
}

/** What a request came to, and whether an earlier request with its key had done it. */
export interface Settled<T> {
  readonly outcome: T;
  readonly replayed: boolean;
}

/** "Req" in ASCII: the space of the advisory locks of requests in flight. */
const REQUEST_LOCK = 0x526571;

/**
 * Requests that take effect once. The outcome is written in the transaction that makes the change, under the key that the
 * client sent, and a repeat is answered with it.
 */
@Injectable()
export class Outcomes {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Runs a change once.
   * @param request null when the client sent no key: then it simply runs.
   * @param work makes the change; what it returns is stored as JSON.
   * @throws Problem IDEMPOTENCY_KEY_REUSED when the key was used for another request, REQUEST_IN_FLIGHT when the first
   * request with this key has not ended.
   */
  async once<T>(request: KeyedRequest | null, work: (transaction: Queryable) => Promise<T>): Promise<Settled<T>> {
    return this.transactions.run(async (transaction) => {
      if (request === null) return { outcome: await work(transaction), replayed: false };
      await lockRequest(transaction, request);
      const earlier = await findOutcome(transaction, request);
      if (earlier !== null) return { outcome: JSON.parse(earlier) as T, replayed: true };
      const outcome = await work(transaction);
      await storeOutcome(transaction, request, outcome);
      return { outcome, replayed: false };
    });
  }
}

/** Names a request by who sent it and what it means. `meaning` is JSON whose order is always the same. */
export function keyedRequest(actor: Actor, key: string | undefined, meaning: unknown): KeyedRequest | null {
  if (key === undefined) return null;
  return { client: actor.client, key, hash: digestOf(JSON.stringify(meaning)) };
}

/** @throws Problem IDEMPOTENCY_KEY_REUSED when an earlier request with the same key was another one. */
export function requireSameRequest(earlier: Digest, now: Digest): void {
  if (earlier === now) return;
  throw keyReused();
}

/** The refusal of a request whose key belongs to another one. */
export function keyReused(): Problem {
  return new Problem(
    'IDEMPOTENCY_KEY_REUSED',
    'An earlier request with this Idempotency-Key asked for something else; give each new request a new key.',
    { errors: [{ pointer: '#header/Idempotency-Key', detail: 'used before with another body' }] },
  );
}

/** Refuses at once where waiting could take as long as the other request does. */
async function lockRequest(transaction: Queryable, { client, key }: KeyedRequest): Promise<void> {
  const name = Buffer.from(digestOf(JSON.stringify([client, key])), 'hex').readInt32BE();
  const { rows } = await transaction.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1, $2) AS locked', [
    REQUEST_LOCK,
    name,
  ]);
  if (rows[0]?.locked === true) return;
  throw inFlight();
}

/** The refusal of a repeat that came before the first request had ended. */
export function inFlight(): Problem {
  return new Problem(
    'REQUEST_IN_FLIGHT',
    'A request with this Idempotency-Key is being worked on; send this one again in a moment.',
    { errors: [{ pointer: '#header/Idempotency-Key', detail: 'in flight' }], headers: { 'retry-after': '1' } },
  );
}

/**
 * @returns the JSON of what the request came to before.
 * @throws Problem IDEMPOTENCY_KEY_REUSED
 */
export async function findOutcome(from: Queryable, { client, key, hash }: KeyedRequest): Promise<string | null> {
  const { rows } = await from.query<{ hash: Digest; outcome: string }>(
    "SELECT encode(hash, 'hex') AS hash, outcome FROM request WHERE client = $1 AND key = $2",
    [client, key],
  );
  const [row] = rows;
  if (row === undefined) return null;
  requireSameRequest(row.hash, hash);
  return row.outcome;
}

/**
 * Refuses the key of a mint, which the minted row keeps, for a request that mints nothing or mints without such rows.
 * @throws Problem IDEMPOTENCY_KEY_REUSED
 */
export async function requireNoMint(from: Queryable, request: KeyedRequest | null): Promise<void> {
  if (request === null) return;
  const { rows } = await from.query<{ hash: Digest }>(
    "SELECT encode(request_hash, 'hex') AS hash FROM identifier WHERE client = $1 AND request_key = $2 LIMIT 1",
    [request.client, request.key],
  );
  if (rows[0] !== undefined) requireSameRequest(rows[0].hash, request.hash);
}

/** Keeps what a request came to; of two that came to it at once, the first one's. */
export async function storeOutcome(
  on: Queryable,
  { client, key, hash }: KeyedRequest,
  outcome: unknown,
): Promise<void> {
  await on.query('INSERT INTO request (client, key, hash, outcome) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [
    client,
    key,
    bytea(hash),
    JSON.stringify(outcome),
  ]);
}
