import { applyDecorators } from '@nestjs/common';
import { Problem } from '../../problem/problem.js';
import { ApiHeader, ApiReturns } from '../../openapi/annotations.js';

const MAX_LENGTH = 255;

/** A string of structured fields (RFC 9651 3.3.3), as the IETF draft requires. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/** The unquoted form, which most clients send. */
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/;

/** Parses 1 to 255 ASCII characters, quoted or bare. @throws Problem INVALID_IDEMPOTENCY_KEY */
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

/** Maximum length of the header in characters. In double quotes, `\"` or `\\` stands for one character of the key. */
const MAX_HEADER = 2 * MAX_LENGTH + 2;

const KEY_DESCRIPTION = [
  'Makes a retry safe: the request takes effect once.',
  `1 to ${MAX_LENGTH} ASCII characters, bare without spaces or in double quotes: \`k\` and \`"k"\` are the same key.`,
  'A key belongs to the client, for all operations and naming authorities, and is kept indefinitely.',
  'A repeat with another content, precondition or operation fails with 422 `IDEMPOTENCY_KEY_REUSED`. A rejected request leaves its key unused.',
  'A repeat returns the first result, even of a reservation whose identifiers have changed since then;',
  'but mints, including those of batches and streams, return the identifier in its current state, and an API key is returned in its current state.',
  '`Idempotency-Replayed` marks a repeat, except in streams. In a stream, the key covers each line by its number,',
  'and a line with another content than the stored line has the result 422 `IDEMPOTENCY_KEY_REUSED`.',
].join(' ');

export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: KEY_DESCRIPTION,
    schema: { type: 'string', minLength: 1, maxLength: MAX_HEADER },
    example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10',
  });

export const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description: '"true" if the response is the replay of an earlier request with the same key.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
};

/** Describes an operation that repeats its first response: the idempotency key and this response. */
export const ApiReturnsOnce = (
  ...[type, description, headers, status]: Parameters<typeof ApiReturns>
): MethodDecorator =>
  applyDecorators(ApiIdempotencyKey(), ApiReturns(type, description, { ...headers, ...REPLAYED_HEADER }, status));
