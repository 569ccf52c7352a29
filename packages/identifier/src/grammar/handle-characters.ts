/**
 * The permitted characters of a Handle (HS-02, HUS-08, R-12, R-29).
 *
 * All printable characters of UCS-2 are permitted. C0 and C1 controls, DEL, line and paragraph separators, U+FEFF,
 * bidirectional controls (which make one Handle look like another), noncharacters and lone surrogates are not printable.
 * The space is printable, and so are all other format characters: some scripts need joiners. `unicode` also permits
 * characters beyond UCS-2. Nothing is normalized or trimmed.
 */
import { describe, fail, type Failure } from '../syntax-error.js';

/** `ucs2`, the default: characters up to U+FFFF; `unicode`: all characters. */
export type Charset = 'ucs2' | 'unicode';

/** The fault of a text from `start` to `end` as part of a Handle; null when it is valid. */
export function charsetFault(text: string, charset: Charset, start = 0, end = text.length): Failure | null {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x20 && code < 0x7f) continue;
    if (code < 0x80 || isUnprintable(code)) return unprintable(text, i);
    if (code < 0xd800 || code > 0xdfff) continue;
    const point = text.codePointAt(i) ?? code;
    if (point < 0x10000) return fail('INVALID_CHARACTER', i, 'HS-03', 'a lone surrogate has no UTF-8 encoding');
    if (charset === 'ucs2') {
      return fail('NOT_UCS2', i, 'HS-02', `${describe(text, i)} is outside UCS-2`);
    }
    if ((point & 0xfffe) === 0xfffe) return unprintable(text, i);
    i++;
  }
  return null;
}

function isUnprintable(code: number): boolean {
  if (code < 0xa0) return true;
  if (code < 0x2000) return code === 0x061c;
  if (code < 0x2070) return isBidirectionalOrSeparator(code);
  return (code >= 0xfdd0 && code <= 0xfdef) || code === 0xfeff || code >= 0xfffe;
}

function isBidirectionalOrSeparator(code: number): boolean {
  return code === 0x200e || code === 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

function unprintable(text: string, index: number): Failure {
  return fail('INVALID_CHARACTER', index, 'R-29', `${describe(text, index)} is not a printable character`);
}
