import { Problem } from '../problem/problem.js';
import type { Actor } from '../registry/change.js';
import { type Digest, digestOf } from '../registry/digest.js';

/** The Idempotency-Key of a request, with its client and the fingerprint of the request. */
export interface KeyedRequest {
  readonly client: string;
  readonly key: string;
  readonly fingerprint: Digest;
}

export function keyedRequest(actor: Actor, key: string | undefined, content: unknown): KeyedRequest | null {
  if (key === undefined) return null;
  return { client: actor.client, key, fingerprint: digestOf(JSON.stringify(content)) };
}

export function keyReused(): Problem {
  return new Problem(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a different request. Use a new key for each new request.',
    { errors: [{ pointer: '#header/Idempotency-Key', detail: 'was used with a different body' }] },
  );
}

export function requestInFlight(): Problem {
  return new Problem(
    'REQUEST_IN_FLIGHT',
    'A request with this Idempotency-Key is still in progress. Retry after Retry-After.',
    { errors: [{ pointer: '#header/Idempotency-Key', detail: 'in flight' }], headers: { 'retry-after': '1' } },
  );
}
