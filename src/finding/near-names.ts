import { upperAscii } from '../registry/upper-ascii.js';

/** Maximum number of candidates of one text: enough for all names that differ from a GUID in one place. */
const MAX_CANDIDATES = 600;

/** Minimum number of digits by which a truncated GUID is searched, so that identifiers cannot be listed by guessing. */
const LEAST_DIGITS = 16;

/** Maximum length of a name for which single characters are changed in the search. */
const MAX_LENGTH = 40;

const GUID_LENGTH = 32;
const DIGITS = '0123456789';
const HEX_DIGITS = '0123456789ABCDEF';

/** Characters that are read or typed in place of a hexadecimal digit. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1', Z: '2', S: '5', G: '6' };

export interface NearNames {
  /** Names that the client may have meant, each with one error of typing or copying undone. GUIDs are in upper case. */
  readonly candidates: readonly string[];
  /** The digits of a truncated GUID; null for any other text. */
  readonly start: string | null;
}

/** The GUIDs that a text may mean, with look-alikes, a missing, added or wrong digit, two exchanged digits, or further characters. */
export function nearGuids(text: string): NearNames {
  const digits = hexDigitsOf(text);
  const { length } = digits;
  const wrong = [...digits].flatMap((digit, at) => (HEX_DIGITS.includes(digit) ? [] : [at]));
  const candidates = new Set<string>();
  const add = (name: string) => {
    if (/^[0-9A-F]{32}$/.test(name)) candidates.add(name);
  };
  if (wrong.length <= 1) {
    if (length === GUID_LENGTH - 1) inserted(digits, HEX_DIGITS, add);
    if (length === GUID_LENGTH) {
      add(digits);
      replaced(digits, HEX_DIGITS, add);
      exchanged(digits, add);
    }
    if (length === GUID_LENGTH + 1) removed(digits, add);
  }
  if (length > GUID_LENGTH) add(digits.slice(0, GUID_LENGTH));
  const isCut = length >= LEAST_DIGITS && length < GUID_LENGTH && wrong.length === 0;
  return { candidates: [...candidates].slice(0, MAX_CANDIDATES), start: isCut ? digits : null };
}

/** The local names that a text may mean under the profile "handle". */
export function nearLocalNames(text: string): NearNames {
  const candidates = new Set<string>();
  const add = (name: string) => {
    if (name !== '' && name !== text && candidates.size < MAX_CANDIDATES) candidates.add(name);
  };
  add(withoutEnd(text));
  add(upperAscii(text));
  add(text.toLowerCase());
  add(text.toLowerCase().replace(/(?<![a-z])[a-z]/g, upperAscii));
  if (text.length > MAX_LENGTH) return { candidates: [...candidates], start: null };
  removed(text, add);
  exchanged(text, add);
  if (/\d/.test(text)) {
    replaced(text, DIGITS, add, /\d/);
    inserted(text, DIGITS, add);
  }
  return { candidates: [...candidates], start: null };
}

const END = ' \t\n\r.,;:!?/)]>"\'';

/** Removes punctuation and blanks at the end of a text. A regular expression would need quadratic time. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && END.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The letters and digits of a text in upper case, with look-alikes replaced with digits. */
export function hexDigitsOf(text: string): string {
  const plain = upperAscii(text).replace(/[^0-9A-Z]/g, '');
  return plain.replace(/[OILZSG]/g, (letter) => LOOK_ALIKES[letter] ?? letter);
}

export function firstDifference(text: string, other: string): number {
  let at = 0;
  while (at < text.length && text.charAt(at) === other.charAt(at)) at += 1;
  return at;
}

type Add = (name: string) => void;

function inserted(text: string, characters: string, add: Add): void {
  for (let at = 0; at <= text.length; at++) {
    for (const each of characters) add(text.slice(0, at) + each + text.slice(at));
  }
}

function replaced(text: string, characters: string, add: Add, where = /./): void {
  for (let at = 0; at < text.length; at++) {
    if (!where.test(text.charAt(at))) continue;
    for (const each of characters) add(text.slice(0, at) + each + text.slice(at + 1));
  }
}

function removed(text: string, add: Add): void {
  for (let at = 0; at < text.length; at++) add(text.slice(0, at) + text.slice(at + 1));
}

function exchanged(text: string, add: Add): void {
  for (let at = 1; at < text.length; at++) {
    add(text.slice(0, at - 1) + text.charAt(at) + text.charAt(at - 1) + text.slice(at + 1));
  }
}
