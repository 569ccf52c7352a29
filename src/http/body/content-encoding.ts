import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** A JSON Merge Patch (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json';

const UTF8 = /^utf-?8$/i;

/** Whether the headers declare a body without compression, in an accepted charset (UTF-8 by default). */
export function isPlain(headers: IncomingHttpHeaders, charsets = UTF8): boolean {
  const { charset, encoding } = codingOf(headers);
  return charsets.test(charset) && encoding.toLowerCase() === 'identity';
}

/** Why the headers do not declare readable JSON, that is, UTF-8 without compression; null if they do. */
export function faultOfJson({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): string | null {
  if (!isPlain(headers)) {
    const { charset, encoding } = codingOf(headers);
    return `The body is ${charset}, ${encoding}; send it as UTF-8 without compression.`;
  }
  const isPatch = headers['content-type']?.trim().toLowerCase().startsWith(MERGE_PATCH) === true;
  if (!isPatch || method === 'PATCH') return null;
  return `${MERGE_PATCH} is supported for PATCH only; send the body as application/json.`;
}

function codingOf(headers: IncomingHttpHeaders): { charset: string; encoding: string } {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  return { charset, encoding: headers['content-encoding'] ?? 'identity' };
}

export type Charset = 'utf-8' | 'windows-1252';

/** The characters of the bytes 0x80 to 0x9F in Windows-1252 (WHATWG Encoding 9.1); all other bytes have the characters of ISO 8859-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const C1 = /[\u0080-\u009f]/g;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws TypeError for bytes that are not UTF-8, if `charset` is UTF-8. */
export function decode(bytes: Buffer, charset: Charset): string {
  if (charset === 'utf-8') return utf8.decode(bytes);
  // In some versions of Node.js, TextDecoder decodes the bytes 0x80 to 0x9F as ISO 8859-1.
  return bytes.toString('latin1').replace(C1, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
}
