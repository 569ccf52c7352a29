/** The charsets of a CSV. */
export type Charset = 'utf-8' | 'windows-1252';

/** The characters of the octets 0x80 to 0x9F in Windows-1252 (WHATWG Encoding 9.1); the others are those of ISO 8859-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const C1 = /[\u0080-\u009f]/g;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes octets. @throws TypeError for octets that are not UTF-8. */
export function decode(octets: Buffer, charset: Charset): string {
  if (charset === 'utf-8') return utf8.decode(octets);
  // Not by TextDecoder, which reads these octets as ISO 8859-1 in some versions of Node.js.
  return octets
    .toString('latin1')
    .replace(C1, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
}
