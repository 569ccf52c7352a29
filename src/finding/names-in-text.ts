import { handleUriStart } from '../registry/name-schemes.js';

/** Maximum number of words of a text that are returned as names. */
const MAX_WORDS = 4;

/** Maximum number of words of a text that are examined. */
const MAX_LOOKED_AT = 200;

/** Delimiters that texts and mail programs put around identifiers and URLs. */
const DELIMITER = /[\s<>()[\]{}"'`\u2018-\u201f\u2039\u203a\u00ab\u00bb]/;

/** Punctuation of the sentence at the end of a word. */
const PUNCTUATION = /[.,;:!?\u2026]/;

/** Soft hyphens, zero-width characters and direction controls, which word processors and web pages insert into long names. */
const WITHOUT_WIDTH = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** A prefix of digits and dots at the start of a word, with blanks before or after its slash. */
const BLANKS_AROUND_SLASH = /(?<![^\s(<["':])(\d{1,20}(?:\.\d{1,20}){0,20})(?: {0,8}\/ {1,8}| {1,8}\/)(?=\S)/g;

/** A label before a name, such as `Handle:` or `PID=`, without a blank after it. */
const LABEL = /^(?!info:|urn:)[a-z]{1,20}[:=](?=[\d.]{1,99}\/)/i;

/** A word that can be a name: with a slash, a colon before other characters, or the digits of a GUID. */
const LIKE_NAME = /[^/]\/[^/]|^[a-z][\w+.-]*:[^/]|^[0-9a-f-]{32,36}$/i;

/** Removes delimiters and one final full stop, which may precede or follow a quotation mark. */
export function withoutDelimiters(text: string): string {
  return trimmed(text, 1);
}

/** Removes `WITHOUT_WIDTH` and the blanks around the slash after a prefix, and replaces no-break spaces with plain ones. */
export function withoutLayout(text: string): string {
  return text
    .replace(WITHOUT_WIDTH, '')
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(BLANKS_AROUND_SLASH, '$1/');
}

/** The words of a text that can be names, such as the last one of `Handle: 100.102/F58F…`. None if the text itself is such a word. */
export function namesIn(text: string): string[] {
  const words = text.split(/\s+/, MAX_LOOKED_AT).filter((word) => word !== '');
  const found = new Set<string>();
  for (const word of words) {
    const written = trimmed(word, word.length);
    const name = handleUriStart(written) > 0 ? written : written.replace(LABEL, '');
    if (LIKE_NAME.test(name)) found.add(name);
    if (found.size === MAX_WORDS) break;
  }
  return words.length === 1 && found.has(text) ? [] : [...found];
}

/** Removes delimiters around a text and at most `marks` punctuation marks at its end; if `marks` is 1, only a full stop. */
function trimmed(text: string, marks: number): string {
  let start = 0;
  while (start < text.length && DELIMITER.test(text.charAt(start))) start += 1;
  let end = text.length;
  for (let left = marks; end > start; end -= 1) {
    const character = text.charAt(end - 1);
    if (DELIMITER.test(character)) continue;
    const isMark = marks === 1 ? character === '.' : PUNCTUATION.test(character);
    if (!isMark || left === 0) break;
    left -= 1;
  }
  return text.slice(start, end);
}
