const SMALL_LETTERS = /[a-z]+/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** `toUpperCase` for ASCII letters only; other letters are case-sensitive. */
export function upperAscii(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toUpperCase();
  return text.replace(SMALL_LETTERS, (letters) => letters.toUpperCase());
}
