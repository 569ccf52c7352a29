/**
 * Syntax errors: a code of a closed list, a detail for people, and an offset.
 *
 * A malformed text is a value (`Result`) and not an exception, because most callers parse many texts and expect some to
 * be malformed. The `toX` functions throw the same fault as an error.
 */
import type { Repairs } from './repairs.js';

/**
 * The version of the rules that faults name. It changes when a text gets another name, canonical form or comparison key,
 * so that stored names and keys must be computed again.
 */
export const RULES_VERSION = 1;

/** The closed list of syntax codes. `NOT_RECOGNIZED` occurs only where no kind was requested and the text resembles none. */
export const SYNTAX_CODES = /* @__PURE__ */ Object.freeze([
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
] as const);

export type SyntaxCode = (typeof SYNTAX_CODES)[number];

/** Why a text is malformed. */
export interface SyntaxFault {
  readonly code: SyntaxCode;
  /** What was found and what was expected, in at most a few hundred characters. */
  readonly detail: string;
  /** The index of the fault in the caller's string, in UTF-16 code units; the length of the string for its end. */
  readonly offset: number;
  /** The violated requirement or resolution, such as `CID-10` or `R-07`. */
  readonly rule: string;
}

export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  /** The differences between the text and its canonical form. */
  readonly repairs: Repairs;
}

export interface Failure {
  readonly ok: false;
  readonly fault: SyntaxFault;
}

export type Result<T> = Success<T> | Failure;

export function ok<T>(value: T, repairs: Repairs): Success<T> {
  return { ok: true, value, repairs };
}

export function fail(code: SyntaxCode, offset: number, rule: string, detail: string): Failure {
  return { ok: false, fault: { code, detail, offset, rule } };
}

/** The same fault at another offset, for a fault in a decoded or trimmed copy of the caller's string. */
export function failAt(failure: Failure, offset: number): Failure {
  return { ok: false, fault: { ...failure.fault, offset } };
}

/** The error of the `toX` functions, with the fault of the parser. */
export class IdentifierSyntaxError extends Error {
  override readonly name = 'IdentifierSyntaxError';

  constructor(readonly fault: SyntaxFault) {
    super(`${fault.code} at ${fault.offset}: ${fault.detail}`);
  }

  get code(): SyntaxCode {
    return this.fault.code;
  }

  get offset(): number {
    return this.fault.offset;
  }

  get rule(): string {
    return this.fault.rule;
  }
}

/** The value of a result. @throws IdentifierSyntaxError */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new IdentifierSyntaxError(result.fault);
}

/** Describes the character at an index for a detail: `":" (U+003A)`, `U+0009`, or `the end`. */
export function describe(text: string, index: number): string {
  const code = text.codePointAt(index);
  if (code === undefined) return 'the end';
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 0x20 && code < 0x7f ? `"${String.fromCharCode(code)}" (${hex})` : hex;
}

/** Shortens a text for a detail; U+FFFD replaces a lone surrogate, such as half of a pair at the end. */
export function excerpt(text: string): string {
  return (text.length <= 60 ? text : `${text.slice(0, 57)}...`).toWellFormed();
}
