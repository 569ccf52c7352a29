/**
 * The two path segments at the end of the hdl and http forms (URI-16, URI-31).
 *
 * naming-authority "/" local-name      each 1*pchar, each decoded once as UTF-8
 *
 * Order of the checks: number of segments, empty segments, UTF-8, then each segment.
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

/** The rules of a form. */
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
 * Parses from `start` to the end of the path in `scan`. The profile `cordra` requires a CORDRA identifier, no profile
 * prefers one, and the others return a Handle.
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
  if (!scan.escaped) {
    const read = readName(input, start, slash, pathEnd, input, scan, rules);
    return read.ok && slashes !== NO_REPAIRS ? ok(read.value, joinRepairs(read.repairs, slashes)) : read;
  }
  const namingAuthority = decode(input, start, slash);
  if (typeof namingAuthority === 'number') return utf8Fault(namingAuthority);
  const localName = decode(input, slash + 1, pathEnd);
  if (typeof localName === 'number') return utf8Fault(localName);
  const text = `${namingAuthority}/${localName}`;
  const read = readName(text, 0, namingAuthority.length, text.length, input, scan, rules);
  if (!read.ok) return failAt(read, rawOffset(input, start, read.fault.offset));
  const path = joinRepairs(
    escapeRepairs(input, start, slash, authorityRaw),
    escapeRepairs(input, slash, pathEnd, PCHAR),
  );
  return ok(read.value, joinRepairs(joinRepairs(joinRepairs(read.repairs, path), slashes), tailRepairs(input, scan)));
}

export function bracketFault(input: string, at: number): Failure {
  return fail('INVALID_CHARACTER', at, 'URI-24', `a path cannot contain ${describe(input, at)}`);
}

export function utf8Fault(at: number): Failure {
  return fail('INVALID_UTF8', at, 'URI-24', 'the percent-encoded octets from here on are not UTF-8');
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
