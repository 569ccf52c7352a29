import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { Problem } from '../problem/problem.js';

const LIMIT_MESSAGE = 'limit must be a whole number from 1 to 1000';

/** Which page of keys is wanted. */
export class KeyPageQueryDto {
  /** How many to answer at most. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1000, default: 50, required: false })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? Number(value) : value,
  )
  @Max(1000, { message: LIMIT_MESSAGE })
  @Min(1, { message: LIMIT_MESSAGE })
  @IsInt({ message: LIMIT_MESSAGE })
  limit = 50;

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
  const [, time = '', id = ''] = /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z) ([0-9a-f-]{36})$/.exec(text) ?? [];
  const createdAt = new Date(time);
  if (!Number.isNaN(createdAt.getTime()) && cursorAfter({ createdAt: time, id }) === cursor) return { createdAt, id };
  const detail = 'send the value of "next" from the page before, unchanged';
  throw new Problem('INVALID_CURSOR', `The cursor cannot be read: ${detail}.`, {
    errors: [{ pointer: '#query/cursor', detail }],
  });
}
