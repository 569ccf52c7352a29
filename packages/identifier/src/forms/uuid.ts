/**
 * UUIDs in their text forms (UUID-01 to UUID-06; ISO 11578, RFC 9562).
 *
 * uuid       = 32HEXDIG / hyphenated / "urn:uuid:" hyphenated / "{" hyphenated "}"
 * hyphenated = 8HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 12HEXDIG
 *
 * Input is case-insensitive, including `urn:uuid:` (RFC 8141, R-05); white space is not trimmed. Canonical: 32
 * upper-case digits (UUID-05).
 */
import { classesOf, hasAt, HEX_DIGIT, hexValue, LOWER_CASE } from '../grammar/ascii.js';
import { brand } from '../brand.js';
import type { Uuid } from '../types.js';
import { joinRepairs, NO_REPAIRS, repair, type Repairs } from '../repairs.js';
import { describe, fail, type Failure, ok, type Result, unwrap } from '../syntax-error.js';

/** The layouts that the variant bits distinguish (UUID-03). */
export type UuidVariant = 'ncs' | 'rfc4122' | 'microsoft' | 'future';

const GUID_UPPERCASED = /* @__PURE__ */ repair('GUID_UPPERCASED');
const URN_PREFIX_REMOVED = /* @__PURE__ */ repair('URN_PREFIX_REMOVED');
const BRACES_REMOVED = /* @__PURE__ */ repair('BRACES_REMOVED');
const HYPHENS_REMOVED = /* @__PURE__ */ repair('HYPHENS_REMOVED');
const URN_PREFIX = 'urn:uuid:';

/** Parses a UUID in any of its text forms (UUID-01). */
export function parseUuid(input: string): Result<Uuid> {
  if (hasAt(input, URN_PREFIX, 0)) return readDigits(input, URN_PREFIX.length, input.length, true, URN_PREFIX_REMOVED);
  if (input.startsWith('{')) {
    if (!input.endsWith('}')) return invalid(input.length, 'expected "}" at the end');
    return readDigits(input, 1, input.length - 1, true, BRACES_REMOVED);
  }
  return readDigits(input, 0, input.length, input.charCodeAt(8) === 0x2d, NO_REPAIRS);
}

/** The canonical text of a UUID: 32 upper-case digits. */
export function formatUuid(uuid: Uuid): string {
  return uuid.hex;
}

/** The UUID in lower case with hyphens (RFC 9562 4). */
export function formatUuidHyphenated({ hex }: Uuid): string {
  const digits = hex.toLowerCase();
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** The variant: the top bits of byte 8 (UUID-03). */
export function uuidVariant({ hex }: Uuid): UuidVariant {
  const digit = hexValue(hex.charCodeAt(16));
  if (digit < 8) return 'ncs';
  if (digit < 12) return 'rfc4122';
  return digit < 14 ? 'microsoft' : 'future';
}

/** The version: the high half of byte 6 (UUID-02). Only the variant `rfc4122` has one. */
export function uuidVersion(uuid: Uuid): number | null {
  return uuidVariant(uuid) === 'rfc4122' ? hexValue(uuid.hex.charCodeAt(12)) : null;
}

/** Whether a UUID has the variant and an assigned version of the DCE algorithm (UUID-04); false for nil and max (UUID-06). */
export function isDce(uuid: Uuid): boolean {
  const version = uuidVersion(uuid);
  return version !== null && version >= 1 && version <= 8;
}

/** Whether a value is a UUID in any of its text forms; false for a value that is not a string. */
export const isUuid = (input: unknown): boolean => typeof input === 'string' && parseUuid(input).ok;
/** The value of a UUID in any of its text forms. @throws IdentifierSyntaxError. */
export const toUuid = (input: string): Uuid => unwrap(parseUuid(input));

function readDigits(input: string, start: number, end: number, hyphenated: boolean, repairs: Repairs): Result<Uuid> {
  const length = hyphenated ? 36 : 32;
  let cases = 0;
  for (let i = 0; i < length; i++) {
    const code = start + i < end ? input.charCodeAt(start + i) : 0;
    if (hyphenated && (i === 8 || i === 13 || i === 18 || i === 23)) {
      if (code !== 0x2d) return unexpected(input, start + i, '"-"');
      continue;
    }
    const classes = classesOf(code);
    if ((classes & HEX_DIGIT) === 0) {
      return unexpected(input, start + i, hyphenated ? 'a hexadecimal digit' : '32 hexadecimal digits');
    }
    cases |= classes;
  }
  if (start + length < end) {
    return hyphenated
      ? invalid(start + length, 'a hyphenated UUID has 36 characters, found more')
      : unexpected(input, length, '32 hexadecimal digits');
  }
  if (!hyphenated) return uuidOf(input, cases, repairs);
  return uuidOf(input.slice(start, end).replaceAll('-', ''), cases, joinRepairs(repairs, HYPHENS_REMOVED));
}

/** @param hex 32 hexadecimal digits, which contain exactly the given character classes. */
function uuidOf(hex: string, cases: number, repairs: Repairs): Result<Uuid> {
  const lower = (cases & LOWER_CASE) !== 0;
  const value = brand({ type: 'uuid', hex: lower ? hex.toUpperCase() : hex } as const);
  return ok(value, lower ? joinRepairs(repairs, GUID_UPPERCASED) : repairs);
}

function unexpected(input: string, at: number, expected: string): Failure {
  return invalid(at, `expected ${expected}, found ${describe(input, at)}`);
}

function invalid(offset: number, detail: string): Failure {
  return fail('INVALID_UUID', offset, 'UUID-01', detail);
}
