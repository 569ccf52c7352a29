import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../problem/problem.js';

/** A JSON Merge Patch (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json';

export const UNREADABLE =
  'Send the body as UTF-8 without compression, with "content-type: application/json", or application/merge-patch+json for PATCH.';

const UTF8 = /^utf-?8$/i;

/** Whether the headers declare a body without compression, in an accepted charset (UTF-8 by default). */
export function isPlain(headers: IncomingHttpHeaders, charsets = UTF8): boolean {
  const { charset, encoding } = codingOf(headers);
  return charsets.test(charset) && encoding.toLowerCase() === 'identity';
}

/** Rejects a body that is compressed or not in UTF-8, because it would be misread. @throws Problem UNSUPPORTED_MEDIA_TYPE */
export function requirePlainUtf8(headers: IncomingHttpHeaders): void {
  if (isPlain(headers)) return;
  const { charset, encoding } = codingOf(headers);
  throw new Problem(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body is ${charset}, ${encoding}; send it as UTF-8 without compression.`,
  );
}

/** Whether the headers declare readable JSON. A merge patch is permitted for PATCH only. */
export function isReadableJson(request: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return isPlain(request.headers) && !isMisplacedPatch(request);
}

/** @throws Problem UNSUPPORTED_MEDIA_TYPE for a body that `isReadableJson` rejects. */
export function requireJson(request: Pick<FastifyRequest, 'method' | 'headers'>): void {
  requirePlainUtf8(request.headers);
  if (!isMisplacedPatch(request)) return;
  throw new Problem(
    'UNSUPPORTED_MEDIA_TYPE',
    `${MERGE_PATCH} is supported for PATCH only; send the body as application/json.`,
  );
}

function isMisplacedPatch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method !== 'PATCH' && headers['content-type']?.trim().toLowerCase().startsWith(MERGE_PATCH) === true;
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

/** Decodes bytes. @throws TypeError for bytes that are not UTF-8. */
export function decode(bytes: Buffer, charset: Charset): string {
  if (charset === 'utf-8') return utf8.decode(bytes);
  // In some versions of Node.js, TextDecoder decodes the bytes 0x80 to 0x9F as ISO 8859-1.
  return bytes.toString('latin1').replace(C1, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
}
