/**
 * The naming authority, which is the text of a Handle before its first "/" (also called prefix).
 *
 * naming-authority = segment *( "." segment )                          HUS-07, R-10
 * segment          = 1*<any printable character but "." and "/">      HUS-08, HS-02
 * CORDRA segment   = 1*DIGIT, ASCII only, leading zeros significant   CID-05 to CID-08, R-25
 *
 * A prefix of several segments is derived from the prefix before its last "." (HS-07) and is independent of it (HS-08).
 * ASCII letters of a prefix are case-insensitive.
 */
import { isDigit, upperAscii } from '../grammar/ascii.js';
import { type Charset, charsetFault } from '../grammar/handle-characters.js';
import { checkOneOf, checkCharset } from '../options.js';
import { NO_REPAIRS } from '../repairs.js';
import { describe, fail, type Failure, ok, type Result } from '../syntax-error.js';

const AUTHORITY_PROFILES = ['cordra', 'handle'];

export interface NamingAuthorityOptions {
  /** `cordra` permits digit segments, `handle` any. Default `handle`. */
  readonly profile?: 'cordra' | 'handle' | undefined;
  /** Default `ucs2`. */
  readonly charset?: Charset | undefined;
}

/**
 * Parses a naming authority (HUS-07, CID-05 to CID-08). The value is the text itself.
 * @throws TypeError for an unknown profile or charset.
 */
export function parseNamingAuthority(input: string, options: NamingAuthorityOptions = {}): Result<string> {
  const { profile = 'handle', charset = 'ucs2' } = options;
  checkOneOf('profile', profile, AUTHORITY_PROFILES);
  checkCharset({ charset });
  const fault =
    profile === 'cordra' ? cordraAuthorityFault(input) : (charsetFault(input, charset) ?? handleAuthorityFault(input));
  return fault ?? ok(input, NO_REPAIRS);
}

/** The parent of a prefix (`10.978` of `10.978.88`); null for one segment. */
export function parentNamingAuthority(namingAuthority: string): string | null {
  const dot = namingAuthority.lastIndexOf('.');
  return dot < 0 ? null : namingAuthority.slice(0, dot);
}

/** A key that is equal for two notations of one naming authority. */
export function namingAuthorityKey(namingAuthority: string): string {
  return upperAscii(namingAuthority);
}

/** The fault of a text from `start` to `end` as a naming authority of CORDRA; null when it is valid. */
export function cordraAuthorityFault(text: string, start = 0, end = text.length): Failure | null {
  let empty = true;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) empty = false;
    else if (code === 0x2e && !empty) empty = true;
    else if (code === 0x2e) return emptySegment(i, 'CID-06');
    else {
      const detail = `a CORDRA naming authority contains only digits 0-9 and ".", found ${describe(text, i)}`;
      return fail('INVALID_NAMING_AUTHORITY', i, 'CID-08', detail);
    }
  }
  return empty ? emptySegment(end, start === end ? 'CID-05' : 'CID-06') : null;
}

/** The fault of a text from `start` to `end`, with valid characters, as any naming authority; null when it is valid. */
export function handleAuthorityFault(text: string, start = 0, end = text.length): Failure | null {
  let empty = true;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x2f) return fail('INVALID_NAMING_AUTHORITY', i, 'R-08', 'a naming authority cannot contain "/"');
    if (code !== 0x2e) empty = false;
    else if (empty) return emptySegment(i, 'HUS-07');
    else empty = true;
  }
  return empty ? emptySegment(end, 'HUS-07') : null;
}

function emptySegment(at: number, rule: string): Failure {
  const detail = 'a naming authority is segments joined by ".", none of them empty';
  return fail('INVALID_NAMING_AUTHORITY', at, rule, detail);
}
