import { Problem } from '../problem/problem.js';
import type { PagePlace } from '../record/page-query.js';
import { isKeepable } from '../record/time.js';

/** The largest id that PostgreSQL's BIGINT holds. */
const MAX_ID = 2n ** 63n - 1n;

/** Writes the place after a record as an opaque text. */
export function cursorAfter({ createdAt, id }: PagePlace): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`).toString('base64url');
}

/**
 * Reads a cursor.
 * @throws Problem INVALID_CURSOR for anything `cursorAfter` did not write.
 */
export function readCursor(cursor: string): PagePlace {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, time = '', digits = '0'] = /^(0|-?[1-9][0-9]{0,15}) ([1-9][0-9]{0,18})$/.exec(text) ?? [];
  const place = { createdAt: new Date(Number(time)), id: BigInt(digits) };
  const isPlace = place.id > 0n && place.id <= MAX_ID && isKeepable(place.createdAt);
  if (isPlace && cursorAfter(place) === cursor) return place;
  const detail = 'send the value of "next" from the page before, unchanged';
  throw new Problem('INVALID_CURSOR', `The cursor cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/cursor', detail }],
  });
}
