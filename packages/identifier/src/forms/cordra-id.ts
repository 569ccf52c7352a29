/**
 * CORDRA identifiers (CID).
 *
 * cordra-id        = naming-authority "/" guid [ "?" query ] [ "#" fragment ]   CID-04, CID-15, CID-19
 * naming-authority = 1*DIGIT *( "." 1*DIGIT )                                   CID-05 to CID-08
 * guid             = 32HEXDIG                                                   CID-10
 * query, fragment  = *( pchar / "/" / "?" )                                     CID-16, CID-19 (sic)
 *
 * Canonical: the guid in upper case (CID-14); query and fragment with the escapes of RFC 3986 6.2.2, otherwise
 * unchanged. The guid need not be a valid UUID, and the escaped bytes need not be UTF-8.
 */
import { classesOf, HEX_DIGIT, LOWER_CASE, UNRESERVED } from '../grammar/ascii.js';
import { brand } from '../brand.js';
import type { CordraId, Handle } from '../types.js';
import { cordraAuthorityFault } from './naming-authority.js';
import { escapeRepairs, normalizeEscapes } from '../grammar/percent-encoding.js';
import { checkTexts } from '../options.js';
import { joinRepairs, NO_REPAIRS, repair } from '../repairs.js';
import { describe, fail, type Failure, ok, type Result, type Success, unwrap } from '../syntax-error.js';
import { formatTail, tailFault } from '../grammar/uri-syntax.js';

const GUID_UPPERCASED = /* @__PURE__ */ repair('GUID_UPPERCASED');
const GUID_LENGTH = 32;

/** The parts of a CORDRA identifier. A query or fragment that it does not have is absent or null. */
export interface CordraIdParts {
  readonly namingAuthority: string;
  readonly guid: string;
  readonly query?: string | null | undefined;
  readonly fragment?: string | null | undefined;
}

/** Parses a CORDRA identifier in its native form (CID-04). */
export function parseCordraId(input: string): Result<CordraId> {
  const plain = readPlainCordraId(input, 0);
  if (plain !== null) return plain;
  const slash = input.indexOf('/');
  if (slash < 0) return fail('MISSING_SEPARATOR', input.length, 'CID-04', 'expected "/" after the naming authority');
  const hash = input.indexOf('#', slash + 1);
  const mark = input.indexOf('?', slash + 1);
  return readDelimited(input, slash, hash < 0 || mark < hash ? mark : -1, hash);
}

/** Parses a text whose "/", "?" and "#" are at the given places; the places of "?" and "#" can be -1. */
function readDelimited(input: string, slash: number, query: number, hash: number): Result<CordraId> {
  const queryEnd = hash < 0 ? input.length : hash;
  const inTail = tailFault(input, query, hash, 'CID-16', 'CID-19');
  if (inTail !== null) return inTail;
  const read = readCordraId(
    input,
    0,
    slash,
    query < 0 ? queryEnd : query,
    query < 0 ? null : normalizeEscapes(input, query + 1, queryEnd),
    hash < 0 ? null : normalizeEscapes(input, hash + 1, input.length),
  );
  if (!read.ok || (query < 0 && hash < 0)) return read;
  return ok(read.value, joinRepairs(read.repairs, escapeRepairs(input, slash, input.length, UNRESERVED)));
}

/** Parses `naming-authority "/" guid` from `start` to `end` of a text without escapes. Query and fragment were validated before. */
export function readCordraId(
  text: string,
  start: number,
  slash: number,
  end: number,
  query: string | null,
  fragment: string | null,
): Result<CordraId> {
  const inAuthority = cordraAuthorityFault(text, start, slash);
  if (inAuthority !== null) return inAuthority;
  const guidEnd = slash + 1 + GUID_LENGTH;
  let cases = 0;
  for (let i = slash + 1; i < end; i++) {
    const classes = classesOf(text.charCodeAt(i));
    if ((classes & HEX_DIGIT) === 0 || i === guidEnd) return guidFault(text, i, slash + 1);
    cases |= classes;
  }
  if (end < guidEnd) return guidFault(text, end, slash + 1);
  const digits = text.slice(slash + 1, end);
  // The text is ASCII here, so toUpperCase changes no other script.
  const lower = (cases & LOWER_CASE) !== 0;
  const guid = lower ? digits.toUpperCase() : digits;
  const value = { type: 'cordra', namingAuthority: text.slice(start, slash), guid, query, fragment } as const;
  return ok(brand(value), lower ? GUID_UPPERCASED : NO_REPAIRS);
}

/** No character of a CORDRA identifier without query and fragment is ever escaped, so the parsers of URIs call this function first. */
export function readPlainCordraId(text: string, start: number): Success<CordraId> | null {
  const slash = text.length - GUID_LENGTH - 1;
  if (slash < start || text.charCodeAt(slash) !== 0x2f) return null;
  const read = readCordraId(text, start, slash, text.length, null, null);
  return read.ok ? read : null;
}

/** Whether the text after the slash is as long as a GUID, with or without query and fragment. */
export function hasGuidLength(text: string, slash: number, end: number): boolean {
  const length = end - slash - 1;
  if (length <= GUID_LENGTH) return length === GUID_LENGTH;
  const code = text.charCodeAt(slash + 1 + GUID_LENGTH);
  return code === 0x3f || code === 0x23;
}

/** The canonical text of a CORDRA identifier. */
export function formatCordraId(id: CordraId): string {
  return `${id.namingAuthority}/${formatLocalName(id)}`;
}

/** The local name: guid, query and fragment. */
export function formatLocalName(id: CordraId): string {
  return id.query === null && id.fragment === null ? id.guid : id.guid + formatTail(id.query, id.fragment);
}

/** The same name as a Handle; every CORDRA identifier is one (CID-03). */
export function asHandle(id: CordraId): Handle {
  return brand({ type: 'handle', namingAuthority: id.namingAuthority, localName: formatLocalName(id) });
}

/** Whether a value is a CORDRA identifier; false for a value that is not a string. */
export const isCordraId = (input: unknown): boolean => typeof input === 'string' && parseCordraId(input).ok;
/**
 * The CORDRA identifier of a text, or of its parts. The offset of a fault in parts refers to the text that they form.
 * @throws IdentifierSyntaxError, and a TypeError for a part that is not a string.
 */
export const toCordraId = (input: string | CordraIdParts): CordraId =>
  unwrap(typeof input === 'string' ? parseCordraId(input) : readParts(input));

function readParts({ namingAuthority, guid, query = null, fragment = null }: CordraIdParts): Result<CordraId> {
  checkTexts({ namingAuthority, guid, query: query ?? '', fragment: fragment ?? '' });
  const path = `${namingAuthority}/${guid}`;
  const text = path + formatTail(query, fragment);
  const hash = fragment === null ? -1 : text.length - fragment.length - 1;
  return readDelimited(text, namingAuthority.length, query === null ? -1 : path.length, hash);
}

function guidFault(text: string, at: number, start: number): Failure {
  const count = at - start;
  const found = count === GUID_LENGTH ? 'more' : `${describe(text, at)} after ${count}`;
  return fail('INVALID_GUID', at, 'CID-10', `expected exactly 32 hexadecimal digits, found ${found}`);
}
