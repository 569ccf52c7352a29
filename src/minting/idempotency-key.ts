import { Problem } from '../problem/problem.js';

const MAX_LENGTH = 255;

/**
 * Reads the `Idempotency-Key` header: any 1 to 255 visible ASCII characters, compared exactly.
 * @returns undefined when the request has none.
 * @throws Problem INVALID_IDEMPOTENCY_KEY
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && header.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(header)) return header;
  const detail = `must be one text of 1 to ${MAX_LENGTH} visible ASCII characters without spaces, such as a UUID`;
  throw new Problem('INVALID_IDEMPOTENCY_KEY', `The Idempotency-Key ${detail}.`, {
    errors: [{ pointer: '#header/Idempotency-Key', detail }],
  });
}
