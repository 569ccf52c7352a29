/**
 * Support for URIs with raw characters, such as letters of other scripts from an address bar, or "<" in an old
 * DOI. Strict parsers reject them; recognition escapes them and parses the text again.
 */
import { classesOf, QUERY } from './ascii.js';
import { encode } from './percent-encoding.js';
import { charsetFault } from './handle-characters.js';
import { joinRepairs, repair } from '../repairs.js';
import { ok, type Result } from '../syntax-error.js';

const ESCAPE_ADDED = /* @__PURE__ */ repair('ESCAPE_ADDED');

/** Parses a text; on an invalid character, again with the raw characters from `start` escaped. If both fail, returns the first fault. */
export function parseWithRawCharacters<T>(text: string, start: number, parse: (text: string) => Result<T>): Result<T> {
  const read = parse(text);
  if (read.ok || read.fault.code !== 'INVALID_CHARACTER') return read;
  if (charsetFault(text, 'unicode') !== null) return read;
  const again = parse(text.slice(0, start) + escapeRaw(text.slice(start)));
  return again.ok ? ok(again.value, joinRepairs(again.repairs, ESCAPE_ADDED)) : read;
}

function escapeRaw(text: string): string {
  let escaped = '';
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    if (isUriCharacter(text.charCodeAt(i))) continue;
    let end = i + 1;
    while (end < text.length && !isUriCharacter(text.charCodeAt(end))) end++;
    escaped += text.slice(copied, i) + encode(text.slice(i, end), 0);
    copied = end;
    i = end - 1;
  }
  return escaped + text.slice(copied);
}

/** Whether a character is left as it is: any character of a URI except "[" and "]", which only a URI authority may contain. */
function isUriCharacter(code: number): boolean {
  return (classesOf(code) & QUERY) !== 0 || code === 0x25 || code === 0x23;
}
