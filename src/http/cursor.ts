import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 8;
const NO_SALT = Buffer.alloc(SALT_BYTES);

/** Maximum length of a cursor in characters, which suffices for a position with a prefix of 255 bytes. */
export const MAX_CURSOR_LENGTH = 512;

export type CursorKind =
  | 'identifiers'
  | 'identifiers, newest first'
  | 'naming authorities'
  | 'api keys'
  | 'events'
  | 'events, newest first'
  | 'history';

/** Signed 64-bit numbers, followed by a text in some lists. */
export type CursorPosition = readonly (bigint | string)[];

interface Keys {
  readonly cipher: KeyObject;
  readonly nonce: KeyObject;
}

/**
 * Encrypts and authenticates positions (AES-256-GCM), because plain positions would reveal the activity of other clients. The nonce is a
 * MAC of the position, so that all instances create the same cursor for a position.
 */
@Injectable()
export class Cursors {
  private keys: Keys | null = null;

  /** @param secret 32 random bytes, set before the first request. */
  useSecret(secret: Uint8Array): void {
    const derive = (purpose: string): KeyObject =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `mintmark cursor ${purpose}`, KEY_BYTES)));
    this.keys = { cipher: derive('cipher'), nonce: derive('nonce') };
  }

  /** @param isUnlinkable adds a random salt, for readers that must not recognize equal positions. */
  write(kind: CursorKind, position: CursorPosition, isUnlinkable = false): string {
    const { cipher: key, nonce: nonceKey } = this.requireKeys();
    const plain = Buffer.concat([isUnlinkable ? randomBytes(SALT_BYTES) : NO_SALT, ...position.map(bytesOf)]);
    const nonce = createHmac('sha256', nonceKey).update(`${kind}\0`).update(plain).digest().subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(kind));
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /** Reads a cursor of `count` numbers and a text. @throws Problem INVALID_CURSOR at `pointer`. */
  read(kind: CursorKind, count: number, text: string, pointer = '#query/cursor'): { numbers: bigint[]; text: string } {
    const plain = this.open(kind, text);
    if (plain === null) throw invalidCursor(pointer);
    const bytes = plain.subarray(SALT_BYTES);
    const numbers = Array.from({ length: count }, (_, index) => bytes.readBigInt64BE(index * 8));
    return { numbers, text: bytes.toString('utf8', count * 8) };
  }

  private open(kind: CursorKind, text: string): Buffer | null {
    const { cipher: key } = this.requireKeys();
    const sealed = Buffer.from(text, 'base64url');
    // The decoder ignores invalid characters and trailing bits, but only the exact text that `write` returns is valid.
    if (sealed.length < NONCE_BYTES + SALT_BYTES + TAG_BYTES || sealed.toString('base64url') !== text) return null;
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(kind))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }

  private requireKeys(): Keys {
    if (this.keys === null) throw new TypeError('the cursor secret is loaded before the first request');
    return this.keys;
  }
}

function bytesOf(part: bigint | string): Buffer {
  if (typeof part === 'string') return Buffer.from(part);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(part);
  return bytes;
}

export function invalidCursor(pointer = '#query/cursor'): Problem {
  const detail =
    pointer === '#query/cursor'
      ? 'send the value of "next" from the previous page, unchanged'
      : 'send "next" of the previous page, or the ID of an event, unchanged';
  return new Problem('INVALID_CURSOR', `The cursor is invalid: ${detail}.`, { errors: [{ pointer, detail }] });
}
