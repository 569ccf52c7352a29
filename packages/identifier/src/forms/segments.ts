/**
 * The two path segments at the end of the hdl and http forms (URI-16, URI-31).
 *
 * naming-authority "/" local-name      each 1*pchar, each decoded once as UTF-8
 *
 * Order of the checks: number of segments, brackets, empty segments, UTF-8, then each segment.
 */
import { PCHAR } from '../grammar/ascii.js';
import { hasGuidLength, readCordraId } from './cordra-id.js';
import { readHandle } from './handle.js';
import type { CordraId, Handle } from '../types.js';
import { decode, escapeRepairs, rawOffset } from '../grammar/percent-encoding.js';
import type { Charset } from '../grammar/handle-characters.js';
import { joinRepairs, NO_REPAIRS, repair } from '../repairs.js';
import { describe, fail, type Failure, failAt, ok, type Result } from '../syntax-error.js';
import { readFragment, readQuery, tailRepairs, type UriScan } from '../grammar/uri-syntax.js';

const SLASH_ESCAPED = /* @__PURE__ */ repair('SLASH_ESCAPED');

/** The rules by which a form is parsed. */
export type Profile = 'cordra' | 'generic' | 'handle-scheme';

export interface SegmentRules {
  readonly profile: Profile | undefined;
  readonly charset: Charset;
  /** The character classes that the form writes raw in a naming authority. */
  readonly authorityRaw: number;
  /**
   * Whether a raw "/" in the local name is data and becomes an escape; otherwise it starts a third segment
   * (R-08).
   */
  readonly suffixSlashes?: boolean | undefined;
}

/**
 * Parses the segments from `start` to the end of the path in `scan`. The profile `cordra` requires a CORDRA identifier;
 * without a profile, a CORDRA identifier is preferred; with any other profile, the result is a Handle.
 */
export function readSegments(
  input: string,
  start: number,
  scan: UriScan,
  rules: SegmentRules,
): Result<CordraId | Handle> {
  const { slash, pathEnd } = scan;
  const { authorityRaw, suffixSlashes = false } = rules;
  if (slash < 0 || (scan.secondSlash >= 0 && !suffixSlashes)) return countFault(scan);
  if (scan.bracket >= 0) return bracketFault(input, scan.bracket);
  if (slash === start) {
    return fail('INVALID_NAMING_AUTHORITY', start, 'URI-19', 'the naming authority before "/" is empty');
  }
  if (slash + 1 === pathEnd) return fail('EMPTY_LOCAL_NAME', pathEnd, 'URI-19', 'the local name after "/" is empty');
  const slashes = scan.secondSlash < 0 ? NO_REPAIRS : SLASH_ESCAPED;
  const read = scan.escaped
    ? readDecoded(input, start, slash, scan, authorityRaw, PCHAR, (text, end) =>
        readName(text, 0, end, text.length, input, scan, rules),
      )
    : readName(input, start, slash, pathEnd, input, scan, rules);
  return read.ok ? ok(read.value, joinRepairs(joinRepairs(read.repairs, slashes), tailRepairs(input, scan))) : read;
}

/**
 * Decodes a naming authority from `start` to `slash` and a local name from there to the end of the path, and parses the
 * native text. The offset of a fault is that in the URI. An escape of a raw class, or in lower case, is a repair.
 */
export function readDecoded<T>(
  input: string,
  start: number,
  slash: number,
  scan: UriScan,
  authorityRaw: number,
  localRaw: number,
  read: (text: string, slash: number) => Result<T>,
): Result<T> {
  const namingAuthority = decode(input, start, slash);
  if (typeof namingAuthority === 'number') return utf8Fault(namingAuthority);
  const localName = decode(input, slash + 1, scan.pathEnd);
  if (typeof localName === 'number') return utf8Fault(localName);
  const found = read(`${namingAuthority}/${localName}`, namingAuthority.length);
  if (!found.ok) return failAt(found, rawOffset(input, start, found.fault.offset));
  if (!scan.escaped) return found;
  const inAuthority = escapeRepairs(input, start, slash, authorityRaw);
  const escapes = joinRepairs(inAuthority, escapeRepairs(input, slash, scan.pathEnd, localRaw));
  return ok(found.value, joinRepairs(found.repairs, escapes));
}

export function bracketFault(input: string, at: number): Failure {
  return fail('INVALID_CHARACTER', at, 'URI-24', `a path cannot contain ${describe(input, at)}`);
}

export function utf8Fault(at: number): Failure {
  return fail('INVALID_UTF8', at, 'URI-24', 'the percent-encoded bytes from here on are not UTF-8');
}

/** Parses a name in `text`, which is the URI or a decoded copy of it; query and fragment are those of the URI. */
function readName(
  text: string,
  start: number,
  slash: number,
  end: number,
  uri: string,
  scan: UriScan,
  { profile, charset }: SegmentRules,
): Result<CordraId | Handle> {
  const cordra = profile === undefined ? hasGuidLength(text, slash, end) : profile === 'cordra';
  if (!cordra) return readHandle(text, start, slash, end, charset);
  const read = readCordraId(text, start, slash, end, readQuery(uri, scan), readFragment(uri, scan));
  return read.ok || profile === 'cordra' ? read : readHandle(text, start, slash, end, charset);
}

function countFault(scan: UriScan): Failure {
  const at = scan.secondSlash >= 0 ? scan.secondSlash : scan.pathEnd;
  const detail = `expected two segments, naming-authority "/" local-name; write a "/" inside the local name as %2F`;
  return fail('SEGMENT_COUNT', at, 'URI-16', detail);
}
