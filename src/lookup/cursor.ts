import { Problem } from '../problem/problem.js';

/** The largest id that PostgreSQL's BIGINT holds. */
const MAX_ID = 2n ** 63n - 1n;

/** Writes the place after a record as an opaque text. */
export function cursorAfter(id: bigint): string {
  return Buffer.from(id.toString()).toString('base64url');
}

/**
 * Reads a cursor.
 * @throws Problem INVALID_CURSOR for anything `cursorAfter` did not write.
 */
export function readCursor(cursor: string): bigint {
  const digits = Buffer.from(cursor, 'base64url').toString('latin1');
  const id = /^[1-9][0-9]{0,18}$/.test(digits) ? BigInt(digits) : 0n;
  if (id > 0n && id <= MAX_ID && cursorAfter(id) === cursor) return id;
  const detail = 'send the value of "next" from the page before, unchanged';
  throw new Problem('INVALID_CURSOR', `The cursor cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/cursor', detail }],
  });
}
