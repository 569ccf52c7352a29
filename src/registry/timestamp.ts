import { invalidValue } from '../problem/problem.js';

/** A time of RFC 3339 with a year from 1 to 9999. */
export const TIMESTAMP =
  /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;

/** A time as in `TIMESTAMP`, or a full-date of RFC 3339. */
export const TIMESTAMP_OR_DATE =
  /^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$/;

/** Whether the year is from 1 to 9999: PostgreSQL has no year 0, and JavaScript writes years of five digits with a sign. */
export function isKeepable(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/**
 * Parses a text that `IsTime` or `IsTimeOrDate` accepted; a date stands for its start in UTC.
 * @throws Problem INVALID_REQUEST for a date that JavaScript would roll over, and for years outside 1 to 9999.
 */
export function readTime(text: string, pointer: string): Date {
  const time = new Date(text);
  const [day = ''] = text.split('T');
  if (!new Date(day).toISOString().startsWith(day)) throw invalidValue(pointer, `"${text}" is not a calendar date`);
  if (!isKeepable(time)) throw invalidValue(pointer, `"${text}" is not within the years 1 to 9999 in UTC`);
  return time;
}

/** Parses the start or end of a period. Stored times are in whole milliseconds, so a limit within a millisecond is rounded up. */
export function readLimit(text: string, pointer: string): Date {
  const time = readTime(text, pointer);
  const isWithin = /\.[0-9]{3}[0-9]*[1-9]/.test(text);
  return isWithin ? new Date(time.getTime() + 1) : time;
}

/** @throws Problem INVALID_REQUEST for a time in the past. */
export function requireFuture(time: Date, pointer: string): void {
  if (time.getTime() > Date.now()) return;
  throw invalidValue(pointer, `${time.toISOString()} is in the past`);
}
