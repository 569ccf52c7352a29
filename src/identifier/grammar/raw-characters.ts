/**
 * Help for URIs as people paste them: from an address bar with letters of other scripts, from a page with "<" in
 * an old DOI. A strict parser refuses them; recognition escapes what is not a URI character and reads again.
 */
import { classesOf, QUERY } from './ascii.js';
import { encode } from './percent-encoding.js';
import { charsetFault } from './handle-characters.js';
import { repair } from '../repairs.js';
import { ok, type Result } from '../syntax-error.js';

const ESCAPE_ADDED = repair('ESCAPE_ADDED');

/**
 * What `parse` makes of a text; where it finds an invalid character, what it makes of the text with the raw characters
 * from `start` on escaped. A text that is refused both times is refused for its own first fault.
 */
export function parseWithRawCharacters<T>(text: string, start: number, parse: (text: string) => Result<T>): Result<T> {
  const read = parse(text);
  if (read.ok || read.fault.code !== 'INVALID_CHARACTER') return read;
  if (charsetFault(text, 'unicode') !== null) return read;
  const again = parse(text.slice(0, start) + escapeRaw(text.slice(start)));
  return again.ok ? ok(again.value, again.repairs | ESCAPE_ADDED) : read;
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

/** Whether a character stays: all of a URI but "[" and "]", which only an authority holds. */
function isUriCharacter(code: number): boolean {
  return (classesOf(code) & QUERY) !== 0 || code === 0x25 || code === 0x23;
}
