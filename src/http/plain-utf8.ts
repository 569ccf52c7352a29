import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../problem/problem.js';

/**
 * Octets of another charset or a compressed body would be read as something that nobody sent.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE
 */
export function requirePlainUtf8(headers: IncomingHttpHeaders): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (/^utf-?8$/i.test(charset) && encoding.toLowerCase() === 'identity') return;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', `The body is ${charset}, ${encoding}; send it as UTF-8, not compressed.`);
}
