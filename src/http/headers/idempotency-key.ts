import { Problem } from '../../problem/problem.js';

const MAX_LENGTH = 255;

/** A string of structured fields (RFC 9651 3.3.3), as the draft requires. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/** The form without quotes, which most clients send. */
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/;

/** Parses 1 to 255 ASCII characters, quoted or bare, compared exactly. @throws Problem INVALID_IDEMPOTENCY_KEY */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = typeof header === 'string' ? keyIn(header) : '';
  if (key.length >= 1 && key.length <= MAX_LENGTH) return key;
  const detail = `must be one text of 1 to ${MAX_LENGTH} ASCII characters, bare without spaces or in double quotes, such as a UUID`;
  throw new Problem('INVALID_IDEMPOTENCY_KEY', `The Idempotency-Key ${detail}.`, {
    errors: [{ pointer: '#header/Idempotency-Key', detail }],
  });
}

function keyIn(header: string): string {
  const quoted = QUOTED.exec(header)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return BARE.test(header) ? header : '';
}
