import { Matches } from 'class-validator';
import { Problem } from '../problem/problem.js';

/** RFC 3339 with a year that both JavaScript and PostgreSQL know. */
const TIMESTAMP =
  /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;

/** The rule of a DTO's field for a time (RFC 3339). */
export const IsTime = (): PropertyDecorator =>
  Matches(TIMESTAMP, { message: '$property must be a time like 2026-11-20T09:30:00Z' });

/**
 * Whether the database can keep a time: PostgreSQL has no year 0 and takes none of five digits, which JavaScript writes
 * with a sign.
 */
export function isKeepable(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/**
 * Reads a text that `IsTime` took.
 * @throws Problem INVALID_REQUEST for 31 February, which JavaScript takes for 3 March, and for an offset that leads out of
 * the years 1 to 9999.
 */
export function readTime(text: string, pointer: string): Date {
  const time = new Date(text);
  const [day = ''] = text.split('T');
  if (new Date(day).toISOString().startsWith(day) && isKeepable(time)) return time;
  const detail = `"${text}" is not a day of the calendar`;
  throw new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}

/** @throws Problem INVALID_REQUEST for a time that is not to come. */
export function requireFuture(time: Date, pointer: string): void {
  if (time.getTime() > Date.now()) return;
  const detail = `${time.toISOString()} is past`;
  throw new Problem('INVALID_REQUEST', detail, { errors: [{ pointer, detail }] });
}
