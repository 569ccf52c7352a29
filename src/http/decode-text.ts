const BEYOND_ASCII = /[^\x00-\x7f]/;

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the path or a parameter of a request target once, as UTF-8; "+" is not a blank. Octets beyond ASCII that the
 * client did not escape are UTF-8 too; Node has each of them as one character.
 * @returns null for a "%" without two hexadecimal digits, and for octets that are not UTF-8.
 */
export function decodeText(raw: string): string | null {
  if (!raw.includes('%') && !BEYOND_ASCII.test(raw)) return raw;
  try {
    const text = BEYOND_ASCII.test(raw) ? STRICT_UTF8.decode(Buffer.from(raw, 'latin1')) : raw;
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
