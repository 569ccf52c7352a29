import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ApiKey, ApiKeys } from '../record/api-keys.js';
import { Caller } from './caller.js';
import { isSecret, secretHash } from './key-secret.js';
import type { Scope } from './scope.js';

/** How long a key is taken for what it was, in milliseconds: a revocation takes effect within that time everywhere. */
const MAX_AGE_MS = 2000;

/** How many keys are remembered at most; the one that was asked for first is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** How often the use of a key is written down at most, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;

interface Remembered {
  readonly at: number;
  readonly key: Promise<ApiKey | null>;
}

/** Finds out whose secret a request carries. */
@Injectable()
export class Authenticator {
  private readonly remembered = new Map<string, Remembered>();
  private readonly touched = new Map<string, number>();

  constructor(private readonly keys: ApiKeys) {}

  /** @returns null for a secret that is nobody's, or whose key has expired or was revoked. */
  async authenticate(secret: string): Promise<Caller | null> {
    if (!isSecret(secret)) return null;
    const key = await this.find(secretHash(secret));
    const now = Date.now();
    if (key?.revokedAt !== null) return null;
    if (key.expiresAt !== null && key.expiresAt.getTime() <= now) return null;
    this.touch(key.id, now);
    return new Caller(key.client, key.id, key.scopes as readonly Scope[], key.grants);
  }

  private find(hash: Buffer): Promise<ApiKey | null> {
    const name = hash.toString('base64');
    const known = this.remembered.get(name);
    if (known !== undefined && Date.now() - known.at < MAX_AGE_MS) return known.key;
    const key = this.read(hash);
    // A look-up that failed is not remembered: the database may be back for the next request.
    key.catch(() => this.remembered.delete(name));
    this.remembered.delete(name);
    this.remembered.set(name, { at: Date.now(), key });
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > MAX_REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
    return key;
  }

  private async read(hash: Buffer): Promise<ApiKey | null> {
    const found = await this.keys.findByHash(hash);
    // The index has compared already; this comparison takes the same time wherever two hashes differ.
    return timingSafeEqual(found?.secretHash ?? Buffer.alloc(hash.length), hash) ? found : null;
  }

  /** Nobody waits for it, and nothing fails when it does. */
  private touch(id: string, now: number): void {
    if (now - (this.touched.get(id) ?? 0) < TOUCH_INTERVAL_MS) return;
    this.touched.set(id, now);
    this.keys.touch(id).catch(() => this.touched.delete(id));
  }
}
