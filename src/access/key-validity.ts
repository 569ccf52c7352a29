import { Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';
import { type ApiKey, ApiKeyStore } from '../storage/api-key-store.js';
import type { Principal } from './principal.js';

/** Milliseconds for which a key is cached: a revocation takes effect within this time. */
const MAX_AGE_MS = 2000;

/** Maximum number of cached keys; the oldest is evicted. */
const MAX_CACHED_KEYS = 1000;

interface CachedKey {
  readonly at: number;
  readonly key: Promise<ApiKey | null>;
}

/** Revalidates the key of a request during its response, because streams and long polls can outlive the key. */
@Injectable()
export class KeyValidity {
  private readonly cache = new Map<string, CachedKey>();

  constructor(private readonly keys: ApiKeyStore) {}

  /**
   * Requires that the key of a principal is still valid. Always true for a principal without a stored key.
   * @throws Problem UNAUTHENTICATED when the key has expired or was revoked.
   */
  async require({ keyId }: Principal): Promise<void> {
    if (keyId === null) return;
    const key = await this.find(keyId);
    const isValid = key?.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > Date.now());
    if (isValid) return;
    throw new Problem('UNAUTHENTICATED', 'The API key expired or was revoked while the request was processed.', {
      headers: { 'www-authenticate': 'Bearer realm="mintmark", error="invalid_token"' },
    });
  }

  /** Reads a key anew at its next check: this process has revoked it. @param id its id. */
  forget(id: string): void {
    this.cache.delete(id);
  }

  private find(id: string): Promise<ApiKey | null> {
    const known = this.cache.get(id);
    if (known !== undefined && performance.now() - known.at < MAX_AGE_MS) return known.key;
    const key = this.keys.find(id);
    key.catch(() => this.cache.delete(id));
    this.cache.delete(id);
    this.cache.set(id, { at: performance.now(), key });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_CACHED_KEYS && oldest !== undefined) this.cache.delete(oldest);
    return key;
  }
}
