import { Problem } from '../problem/problem.js';
import { type ChangePlace, LOG_START } from '../record/change-reader.js';

/** The largest number that PostgreSQL's BIGINT holds, and the largest version. */
const MAX_BIGINT = 2n ** 63n - 1n;
const MAX_VERSION = 2n ** 31n - 1n;

/** Writes a place of the log as an opaque text. */
export function logCursor({ position, id }: ChangePlace): string {
  return write([position, id]);
}

/**
 * Reads a place of the log; the start of it when there is none.
 * @param pointer where the cursor stood, as in `ProblemDetail`.
 * @throws Problem INVALID_CURSOR for anything `logCursor` did not write.
 */
export function readLogCursor(cursor: string | undefined, pointer: string): ChangePlace {
  if (cursor === undefined) return LOG_START;
  const [position, id] = read(cursor, MAX_BIGINT);
  if (position === undefined || id === undefined || write([position, id]) !== cursor) throw invalid(pointer);
  return { position, id };
}

/** Writes the place after a version as an opaque text. */
export function versionCursor(version: number): string {
  return write([BigInt(version)]);
}

/**
 * Reads the version that a page of a history starts after; 0 when there is none.
 * @throws Problem INVALID_CURSOR for anything `versionCursor` did not write.
 */
export function readVersionCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [version] = read(cursor, MAX_VERSION);
  if (version === undefined || write([version]) !== cursor) throw invalid('#query/cursor');
  return Number(version);
}

function write(numbers: readonly bigint[]): string {
  return Buffer.from(numbers.join(' ')).toString('base64url');
}

/** @returns nothing when one of the numbers is none, or is too large. */
function read(cursor: string, largest: bigint): bigint[] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^[0-9]{1,19}(?: [0-9]{1,19})?$/.test(text)) return [];
  const numbers = text.split(' ').map(BigInt);
  return numbers.every((number) => number <= largest) ? numbers : [];
}

function invalid(pointer: string): Problem {
  const detail = 'send "next" of the page before, or the id of an event, unchanged';
  return new Problem('INVALID_CURSOR', `The cursor cannot be read: ${detail}.`, { errors: [{ pointer, detail }] });
}
