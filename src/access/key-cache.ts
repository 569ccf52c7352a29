import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ApiKey, ApiKeyStore } from '../storage/api-key-store.js';

/** Milliseconds for which a key is cached. A revocation takes effect in every process within this time. */
const MAX_AGE_MS = 2000;

const MAX_CACHED = 10_000;

interface Timed<T> {
  /** When the read began, in monotonic milliseconds. */
  readonly at: number;
  readonly key: T;
}

/**
 * API keys by ID and by the digest of their secret. Concurrent requests share a read. Unknown secrets are not cached, because
 * `FailedAuthentications` limits them, and guesses would evict keys.
 */
@Injectable()
export class KeyCache {
  private readonly keys = new LRUCache<string, Timed<ApiKey>>({ max: MAX_CACHED });
  /** The IDs of keys by digest. A recent key must have a recent digest, because the database can be restored with other digests. */
  private readonly ids = new LRUCache<string, Timed<string>>({ max: MAX_CACHED });
  private readonly pending = new Map<string, Timed<Promise<ApiKey | null>>>();

  constructor(@Inject(ApiKeyStore) private readonly store: Pick<ApiKeyStore, 'find' | 'findByHash'>) {}

  /** Whether the cache contains the key of a digest, even if the entry is old, or the key is expired or revoked. */
  recognizes(digest: Buffer): boolean {
    return this.keys.has(this.ids.get(nameOf(digest))?.key ?? '');
  }

  has(digest: Buffer): boolean {
    return this.recentOf(nameOf(digest)) !== null;
  }

  async findByDigest(digest: Buffer): Promise<ApiKey | null> {
    const name = nameOf(digest);
    const known = this.recentOf(name);
    if (known !== null) return known;
    return this.share(name, async () => {
      const at = performance.now();
      const found = await this.store.findByHash(digest);
      // The database has already compared the digests, but this comparison takes constant time.
      const key = timingSafeEqual(found?.secretHash ?? Buffer.alloc(digest.length), digest) ? found : null;
      if (key !== null) this.ids.set(name, { at, key: key.id });
      else this.keys.delete(this.ids.get(name)?.key ?? '');
      return key;
    });
  }

  async find(id: string): Promise<ApiKey | null> {
    return this.recent(id) ?? this.share(id, () => this.store.find(id));
  }

  /** Drops a key that this process has revoked or confirmed. */
  forget(id: string): void {
    this.pending.clear();
    this.keys.delete(id);
  }

  private recentOf(name: string): ApiKey | null {
    const id = this.ids.get(name);
    return id !== undefined && isRecent(id) ? this.recent(id.key) : null;
  }

  private recent(id: string): ApiKey | null {
    const cached = this.keys.get(id);
    return cached !== undefined && isRecent(cached) ? cached.key : null;
  }

  /** @param name a digest or an ID, which have different lengths. */
  private share(name: string, read: () => Promise<ApiKey | null>): Promise<ApiKey | null> {
    const other = this.pending.get(name);
    if (other !== undefined && isRecent(other)) return other.key;
    const at = performance.now();
    const isLatest = () => this.pending.get(name) === reading;
    const key = read()
      .then((found) => {
        // A read that began before a change can return the key without the change. `forget` has removed such a read from `pending`.
        if (found !== null && isLatest()) this.keys.set(found.id, { at, key: found });
        return found;
      })
      .finally(() => {
        if (isLatest()) this.pending.delete(name);
      });
    const reading = { at, key };
    this.pending.set(name, reading);
    return key;
  }
}

function isRecent({ at }: Timed<unknown>): boolean {
  return performance.now() - at < MAX_AGE_MS;
}

function nameOf(digest: Buffer): string {
  return digest.toString('base64');
}
