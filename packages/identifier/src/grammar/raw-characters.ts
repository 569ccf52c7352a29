/**
 * Support for URIs with raw characters, such as letters of other scripts from an address bar, or "<" in an old
 * DOI. Strict parsers reject them; recognition escapes them and parses the text again.
 */
import { encode } from './percent-encoding.js';
import { charsetFault } from './handle-characters.js';
import { joinRepairs, repair } from '../repairs.js';
import { ok, type Result } from '../syntax-error.js';

/** All characters but those of a URI. "[" and "]", which only a URI authority may contain, are among them. */
const RAW = /[^\w.~!$&'()*+,;=:@/?%#-]+/g;

const ESCAPE_ADDED = /* @__PURE__ */ repair('ESCAPE_ADDED');

/** Parses a text; on an invalid character, again with the raw characters from `start` escaped. If both fail, returns the first fault. */
export function parseWithRawCharacters<T>(text: string, start: number, parse: (text: string) => Result<T>): Result<T> {
  const read = parse(text);
  if (read.ok || read.fault.code !== 'INVALID_CHARACTER') return read;
  if (charsetFault(text, 'unicode') !== null) return read;
  const again = parse(text.slice(0, start) + text.slice(start).replace(RAW, (raw) => encode(raw, 0)));
  return again.ok ? ok(again.value, joinRepairs(again.repairs, ESCAPE_ADDED)) : read;
}
