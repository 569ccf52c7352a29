import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The prefix lets secret scanners detect leaked keys. */
const PREFIX = 'mm_live_';

const SECRET_BYTES = 32;

const SHAPE = /^mm_live_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

/** Creates a secret: the prefix, 256 random bits as base64url, and a checksum that detects typing errors without a look-up. */
export function newSecret(): string {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return PREFIX + random + checksum(random);
}

/** Whether a text has the format of a secret, with its checksum. */
export function isSecret(text: string): boolean {
  const [, random = '', sum] = SHAPE.exec(text) ?? [];
  return sum !== undefined && checksum(random) === sum;
}

/** The stored hash of a secret. 256 random bits need no slow hash function. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(random: string): string {
  return (crc32(PREFIX + random) >>> 0).toString(16).padStart(8, '0');
}
