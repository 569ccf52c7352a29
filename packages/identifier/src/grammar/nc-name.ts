/**
 * NCName (Namespaces in XML 1.0), the syntax of datastream IDs and method names (FED-10, R-17).
 *
 * NCName = NameStartChar *NameChar, both without ":"
 *
 * The character classes are those of XML 1.0 Fifth Edition, to which the current edition of Namespaces refers. They
 * include those of earlier editions and depend on no version of Unicode.
 */

/** Ranges of NameStartChar without ":": first and last code points in alternation. */
const START: readonly number[] = [
  0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a, 0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x2ff, 0x370, 0x37d, 0x37f, 0x1fff, 0x200c, 0x200d,
  0x2070, 0x218f, 0x2c00, 0x2fef, 0x3001, 0xd7ff, 0xf900, 0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0xeffff,
];

/** The characters that NameChar adds. */
const CONTINUE: readonly number[] = [0x2d, 0x2e, 0x30, 0x39, 0xb7, 0xb7, 0x300, 0x36f, 0x203f, 0x2040];

/** The index of the first character that is not permitted in an NCName; -1 if there is none, 0 for an empty text. */
export function findNotNCName(text: string): number {
  if (text === '') return 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (!isIn(START, code) && (i === 0 || !isIn(CONTINUE, code))) return i;
    if (code > 0xffff) i++;
  }
  return -1;
}

/** The length of a text in code points (FED-11). */
export function characterCount(text: string): number {
  return text.replace(/[\udc00-\udfff]/g, '').length;
}

function isIn(ranges: readonly number[], code: number): boolean {
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    if (code < (ranges[i] ?? 0)) return false;
    if (code <= (ranges[i + 1] ?? 0)) return true;
  }
  return false;
}
