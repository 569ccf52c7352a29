import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ApiKey, ApiKeyStore } from '../storage/api-key-store.js';
import { Problem } from '../problem/problem.js';
import { Principal } from './principal.js';
import { isSecret, secretHash } from './key-secret.js';
import type { Scope } from './scope.js';
import { UnknownSecrets } from './unknown-secrets.js';

/** Milliseconds for which a key is cached: a revocation takes effect within this time on every instance. */
const MAX_AGE_MS = 2000;

/** Maximum number of cached keys; the oldest is evicted. */
const MAX_CACHED_KEYS = 10_000;

/** Minimum interval between two updates of the last use of a key, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;

interface Read<T> {
  /** When the read began. */
  readonly at: number;
  readonly key: T;
}

@Injectable()
export class Authenticator {
  private readonly cache = new Map<string, Read<ApiKey>>();
  private readonly reading = new Map<string, Read<Promise<ApiKey | null>>>();
  private readonly unknown = new UnknownSecrets();
  private readonly touched = new Map<string, number>();

  constructor(private readonly keys: ApiKeyStore) {}

  /** Whether a secret belonged to a key at the last read, including expired and revoked keys. */
  recognizes(secret: string): boolean {
    return this.cache.has(nameOf(secretHash(secret)));
  }

  /**
   * @returns null for an unknown, expired or revoked key.
   * @throws Problem UNAUTHENTICATED for an unconfirmed key that was created under open access.
   */
  async authenticate(secret: string): Promise<Principal | null> {
    if (!isSecret(secret)) return null;
    const key = await this.find(secretHash(secret));
    const now = Date.now();
    if (key?.revokedAt !== null) return null;
    if (key.expiresAt !== null && key.expiresAt.getTime() <= now) return null;
    if (key.openAccess && key.confirmedAt === null) throw unconfirmed(key.id);
    this.touch(key.id, now);
    return new Principal(key.client, key.id, key.scopes as readonly Scope[], key.grants);
  }

  /** Reads a key anew at its next use: this process has revoked or confirmed it. @param id its id. */
  forget(id: string): void {
    for (const [name, { key }] of this.cache) if (key.id === id) this.cache.delete(name);
  }

  private async find(hash: Buffer): Promise<ApiKey | null> {
    const name = nameOf(hash);
    const at = Date.now();
    const isRecent = (read: Read<unknown> | undefined) => read !== undefined && at - read.at < MAX_AGE_MS;
    const known = this.cache.get(name);
    if (known !== undefined && isRecent(known)) return known.key;
    if (this.unknown.has(name)) return null;
    const other = this.reading.get(name);
    if (other !== undefined && isRecent(other)) return other.key;
    const key = this.readAndCache(hash, at);
    this.reading.set(name, { at, key });
    // Failures are not cached: the database may be available for the next request.
    const forget = () => {
      if (this.reading.get(name)?.key === key) this.reading.delete(name);
    };
    key.then(forget, forget);
    return key;
  }

  private async readAndCache(hash: Buffer, at: number): Promise<ApiKey | null> {
    const key = await this.read(hash);
    const name = nameOf(hash);
    this.cache.delete(name);
    if (key === null) this.unknown.add(name);
    else this.cache.set(name, { at, key });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_CACHED_KEYS && oldest !== undefined) this.cache.delete(oldest);
    return key;
  }

  private async read(hash: Buffer): Promise<ApiKey | null> {
    const found = await this.keys.findByHash(hash);
    // The index has compared the hashes already; this comparison takes constant time.
    return timingSafeEqual(found?.secretHash ?? Buffer.alloc(hash.length), hash) ? found : null;
  }

  private touch(id: string, now: number): void {
    if (now - (this.touched.get(id) ?? 0) < TOUCH_INTERVAL_MS) return;
    this.touched.set(id, now);
    this.keys.touch(id).catch(() => this.touched.delete(id));
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('base64');
}

function unconfirmed(id: string): Problem {
  const detail = `The API key ${id} was created under ACCESS=open. An administrator must confirm it with POST /api-keys/${id}/confirm.`;
  const headers = { 'www-authenticate': 'Bearer realm="mintmark", error="invalid_token"' };
  return new Problem('UNAUTHENTICATED', detail, { headers });
}
