import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../problem/problem.js';

export function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const { charset, encoding } = codingOf(headers);
  return /^utf-?8$/i.test(charset) && encoding.toLowerCase() === 'identity';
}

/**
 * Rejects another charset and compression, which would be misread.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE
 */
export function requirePlainUtf8(headers: IncomingHttpHeaders): void {
  if (isPlainUtf8(headers)) return;
  const { charset, encoding } = codingOf(headers);
  throw new Problem(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body is ${charset}, ${encoding}; send it as UTF-8 without compression.`,
  );
}

function codingOf(headers: IncomingHttpHeaders): { charset: string; encoding: string } {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  return { charset, encoding: headers['content-encoding'] ?? 'identity' };
}
