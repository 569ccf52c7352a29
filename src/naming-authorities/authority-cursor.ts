import { parseNamingAuthority } from '../identifier/index.js';
import { Problem } from '../problem/problem.js';

/** Writes the place after a prefix as an opaque text. */
export function cursorAfter(prefix: string): string {
  return Buffer.from(prefix).toString('base64url');
}

/**
 * Reads a cursor.
 * @throws Problem INVALID_CURSOR for anything `cursorAfter` did not write.
 */
export function readCursor(cursor: string): string {
  const prefix = Buffer.from(cursor, 'base64url').toString();
  if (cursorAfter(prefix) === cursor && parseNamingAuthority(prefix, 'handle').ok) return prefix;
  const detail = 'send the value of "next" from the page before, unchanged';
  throw new Problem('INVALID_CURSOR', `The cursor cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/cursor', detail }],
  });
}
