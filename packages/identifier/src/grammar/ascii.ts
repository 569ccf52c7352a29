/**
 * Character classes of RFC 3986, for ASCII only.
 *
 * unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"
 * sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
 * pchar      = unreserved / pct-encoded / sub-delims / ":" / "@"
 * query      = fragment = *( pchar / "/" / "?" )
 *
 * Each class is a bit. Characters of other scripts are never letters or digits.
 */
export const UNRESERVED = 1;
export const SUB_DELIM = 2;
const COLON_AT = 4;
const SLASH = 8;
const QUESTION = 16;
export const HEX_DIGIT = 32;
export const LOWER_CASE = 64;
const URI_ONLY = 128;

/** reg-name of a host; also the raw characters of a naming authority in the Handle URI scheme (HUS-11). */
export const REG_NAME = UNRESERVED | SUB_DELIM;
export const PCHAR = REG_NAME | COLON_AT;
/** Raw characters of a local name in the Handle URI scheme (HUS-12, R-09). */
export const HUS_LOCAL_NAME = REG_NAME | SLASH;
/** Raw characters of a path with several segments, as in `info:` (RFC 4452). */
export const PATH = PCHAR | SLASH;
export const QUERY = PATH | QUESTION;
/** All characters of a URI except "%". */
export const URI_CHARACTER = QUERY | URI_ONLY;

// Bundlers leave out a table that is not used, because the call that makes it is marked as pure.
const CLASSES = /* @__PURE__ */ classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  const give = (characters: string, bits: number): void => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      table[code] = (table[code] ?? 0) | bits;
    }
  };
  give('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~', UNRESERVED);
  give('abcdefghijklmnopqrstuvwxyz', UNRESERVED | LOWER_CASE);
  give("!$&'()*+,;=", SUB_DELIM);
  give(':@', COLON_AT);
  give('/', SLASH);
  give('?', QUESTION);
  give('0123456789ABCDEFabcdef', HEX_DIGIT);
  give('#[]', URI_ONLY);
  return table;
}

/** The classes of a code unit; 0 beyond ASCII and for NaN, which `charCodeAt` returns after the end. */
export function classesOf(code: number): number {
  // The mask has no effect on the result; with it the engine omits the bounds check, which halves the time of a scan.
  return code < 128 ? (CLASSES[code & 127] ?? 0) : 0;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

const HEX_VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57,
);

/** The value of a hexadecimal digit. @param code the code unit of the digit. */
export function hexValue(code: number): number {
  return HEX_VALUES[code & 127] ?? 0;
}

/** The index of the first character from `start` to `end` that is in none of the classes; `end` if all are. */
export function span(text: string, start: number, end: number, classes: number): number {
  let i = start;
  while (i < end && (classesOf(text.charCodeAt(i)) & classes) !== 0) i++;
  return i;
}

const SMALL_LETTERS = /[a-z]+/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** `toUpperCase` for ASCII letters only; other letters are case-sensitive. */
export function upperAscii(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toUpperCase();
  return text.replace(SMALL_LETTERS, (letters) => letters.toUpperCase());
}

/** Whether `text` contains `lower`, which is in lower case, at `start`, ignoring case. */
export function hasAt(text: string, lower: string, start: number): boolean {
  for (let i = 0; i < lower.length; i++) {
    const code = text.charCodeAt(start + i);
    const folded = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (folded !== lower.charCodeAt(i)) return false;
  }
  return true;
}
