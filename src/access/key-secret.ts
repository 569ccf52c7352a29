import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Tells scanners of source code and logs what they have found. */
const PREFIX = 'mm_live_';

const SECRET_BYTES = 32;

const SHAPE = /^mm_live_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

/** A new secret: the prefix, 256 random bits as base64url, and a checksum, so that a typo is told from a guess without a look-up. */
export function newSecret(): string {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return PREFIX + random + checksum(random);
}

/** Whether a text could be a secret of ours at all. */
export function isSecret(text: string): boolean {
  const [, random = '', sum] = SHAPE.exec(text) ?? [];
  return sum !== undefined && checksum(random) === sum;
}

/** What is stored of a secret. 256 random bits need no slow hash: nobody can try them all. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(random: string): string {
  return (crc32(PREFIX + random) >>> 0).toString(16).padStart(8, '0');
}
