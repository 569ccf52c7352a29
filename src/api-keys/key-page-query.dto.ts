import { IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { DEFAULT_PAGE_LIMIT, IsPageLimit } from '../http/page-limit.js';
import { Problem } from '../problem/problem.js';
import { isKeepable } from '../record/time.js';
import { isUuid } from '../record/uuid-text.js';

/** Which page of keys is wanted. */
export class KeyPageQueryDto {
  /** How many to answer at most. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /**
   * Where the page starts: `next` of the page before.
   * @example "MTc5NTE2OTQwMDAwMCAwYzlk"
   */
  @MayBeAbsent()
  @MaxLength(128)
  @IsString()
  cursor?: string;
}

/** Writes the place after a key as an opaque text. */
export function cursorAfter({ createdAt, id }: { createdAt: string; id: string }): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

/**
 * Reads a cursor.
 * @throws Problem INVALID_CURSOR for anything `cursorAfter` did not write.
 */
export function readCursor(cursor: string): { createdAt: Date; id: string } {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, time = '', id = ''] = /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z) (.*)$/.exec(text) ?? [];
  const createdAt = new Date(time);
  if (isKeepable(createdAt) && isUuid(id) && cursorAfter({ createdAt: time, id }) === cursor) return { createdAt, id };
  const detail = 'send the value of "next" from the page before, unchanged';
  throw new Problem('INVALID_CURSOR', `The cursor cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/cursor', detail }],
  });
}
