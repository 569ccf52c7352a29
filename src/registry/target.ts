/** An http or https URL with a host and no user information, which could contain a password. */
const HTTP_URL = /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i;

/** Text not permitted in a URI (RFC 3986 2): another character, or a "%" without two hexadecimal digits. */
const FOREIGN = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/u;

const USER = /^https?:\/\/[^/?#]*@/i;

export function isTarget(text: unknown): boolean {
  return typeof text === 'string' && HTTP_URL.test(text) && !FOREIGN.test(text) && URL.canParse(text);
}

/** Explains why a text is not a target, to follow the word "target". Offsets are in UTF-16 code units, counted from 0. */
export function targetFault(text: unknown): string {
  if (typeof text !== 'string') return 'must be a text';
  if (text === '') return 'must not be empty';
  if (!/^https?:\/\//i.test(text)) return 'must begin with "http://" or "https://"';
  if (USER.test(text)) return 'must not have a user or a password before the host';
  const foreign = FOREIGN.exec(text);
  if (foreign === null) return 'must have a valid host, and a port from 0 to 65535 if it has one';
  const [character] = foreign;
  const at = `at offset ${foreign.index}`;
  if (character === '%') return `has a "%" ${at} without two hexadecimal digits; a "%" itself is "%25"`;
  const escaped = /\p{Cs}/u.test(character) ? '' : `; percent-encode it as "${encodeURIComponent(character)}"`;
  return `has ${nameOf(character)} ${at}, which a URI does not allow${escaped}`;
}

function nameOf(character: string): string {
  if (character === ' ') return 'a space';
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /[\p{C}\p{Z}]/u.test(character) ? code : `"${character}" (${code})`;
}
