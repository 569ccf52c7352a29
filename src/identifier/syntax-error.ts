/**
 * How a text is refused: a code from a closed list, a sentence for a person, and the place where it broke.
 *
 * Wrong data is a value (`Result`), not an exception, because most callers look at many texts and expect some to be
 * wrong. The throwing entrances (`toHandle`, ...) wrap the same fault in one error class.
 */
import type { RepairSet } from './repairs.js';

/**
 * Every code a text can be refused with. The list is closed: a caller may switch over it.
 *
 * All but the last belong to the published test vectors. `NOT_RECOGNIZED` is given only where no form was asked for
 * and the text resembles none, so that no other code could be honest.
 */
export const SYNTAX_CODES = [
  'MISSING_SCHEME',
  'WRONG_SCHEME',
  'WRONG_NAMESPACE',
  'INVALID_CHARACTER',
  'INVALID_PERCENT_ENCODING',
  'INVALID_UTF8',
  'NOT_UCS2',
  'MISSING_SEPARATOR',
  'INVALID_NAMING_AUTHORITY',
  'EMPTY_LOCAL_NAME',
  'INVALID_GUID',
  'INVALID_QUERY',
  'INVALID_FRAGMENT',
  'UNEXPECTED_QUERY',
  'SEGMENT_COUNT',
  'INVALID_AUTHORITY',
  'AUTHORITY_MISMATCH',
  'FIRST_SEGMENT_MISMATCH',
  'INVALID_PID',
  'PID_TOO_LONG',
  'INVALID_DATASTREAM_ID',
  'INVALID_METHOD_NAME',
  'INVALID_PARAM',
  'INVALID_UUID',
  'NOT_RECOGNIZED',
] as const;

/** One of `SYNTAX_CODES`. */
export type SyntaxCode = (typeof SYNTAX_CODES)[number];

/** Why a text was refused. */
export interface SyntaxFault {
  readonly code: SyntaxCode;
  /** For a person: what was found, what was expected. Never longer than a few hundred characters. */
  readonly detail: string;
  /** Where the text broke: an index in the caller's string, in UTF-16 code units; its length means "at the end". */
  readonly offset: number;
  /** The requirement or resolution that decided, for example `CID-10` or `R-07`. */
  readonly rule: string;
}

export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  /** What was changed to reach the canonical spelling; see `listRepairs`. */
  readonly repairs: RepairSet;
}

export interface Failure {
  readonly ok: false;
  readonly fault: SyntaxFault;
}

/** The value that was read, or the rule that was broken. */
export type Result<T> = Success<T> | Failure;

export function ok<T>(value: T, repairs: RepairSet): Success<T> {
  return { ok: true, value, repairs };
}

export function fail(code: SyntaxCode, offset: number, rule: string, detail: string): Failure {
  return { ok: false, fault: { code, detail, offset, rule } };
}

/** The same failure, told of another place: for a fault found in a decoded or trimmed copy of the caller's string. */
export function failAt(failure: Failure, offset: number): Failure {
  return { ok: false, fault: { ...failure.fault, offset } };
}

/** Thrown by the `toX` entrances; carries the fault that the parser gave. */
export class IdentifierSyntaxError extends Error {
  override readonly name = 'IdentifierSyntaxError';

  constructor(readonly fault: SyntaxFault) {
    super(`${fault.code} at ${fault.offset}: ${fault.detail}`);
  }

  /** The code of the fault, for callers that switch over it. */
  get code(): SyntaxCode {
    return this.fault.code;
  }
}

/** The value of a result, or its fault thrown. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new IdentifierSyntaxError(result.fault);
}

/** Names the character at an index for use in a detail: `":" (U+003A)`, `U+0009`, or `the end`. */
export function describe(text: string, index: number): string {
  const code = text.codePointAt(index);
  if (code === undefined) return 'the end';
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 0x20 && code < 0x7f ? `"${String.fromCharCode(code)}" (${hex})` : hex;
}

/** A text shortened to what a detail can carry. */
export function excerpt(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
