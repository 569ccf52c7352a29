import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ApiKey, ApiKeyStore } from '../storage/api-key-store.js';

/** Milliseconds for which a key is cached: a revocation takes effect in every process within this time. */
const MAX_AGE_MS = 2000;

/** Milliseconds for which a secret counts as unknown. The time is limited, because a restored database may contain the key. */
const UNKNOWN_MS = 60_000;

/** Maximum number of cached keys, and of unknown secrets, which have their own cache so that guesses do not evict keys. */
const MAX_CACHED = 10_000;

interface CachedKey {
  /** When the read began, in monotonic milliseconds. */
  readonly at: number;
  readonly key: ApiKey;
  /** The digest of its secret; null when the key was read by its ID only. */
  readonly digest: string | null;
}

interface PendingRead {
  readonly at: number;
  readonly key: Promise<ApiKey | null>;
}

/** API keys by ID and by the digest of their secret. Concurrent requests share a read; failed reads are not cached. */
@Injectable()
export class KeyCache {
  private readonly keys = new LRUCache<string, CachedKey>({
    max: MAX_CACHED,
    dispose: ({ digest }) => digest !== null && this.ids.delete(digest),
  });
  private readonly ids = new Map<string, string>();
  private readonly pending = new Map<string, PendingRead>();
  /** When the read of each unknown secret ended, by digest. */
  private readonly unknown = new LRUCache<string, number>({ max: MAX_CACHED });
  private changes = 0;

  constructor(@Inject(ApiKeyStore) private readonly store: Pick<ApiKeyStore, 'find' | 'findByHash'>) {}

  /** Whether the cache contains the key of a digest, even if the entry is old, or the key is expired or revoked. */
  recognizes(digest: Buffer): boolean {
    return this.ids.has(nameOf(digest));
  }

  has(digest: Buffer): boolean {
    return this.recent(this.ids.get(nameOf(digest))) !== null;
  }

  async findByDigest(digest: Buffer): Promise<ApiKey | null> {
    const name = nameOf(digest);
    const known = this.recent(this.ids.get(name));
    if (known !== null) return known;
    if (performance.now() - (this.unknown.get(name) ?? -Infinity) < UNKNOWN_MS) return null;
    return this.share(name, async (at) => {
      const found = await this.store.findByHash(digest);
      // The database has already compared the digests, but not in constant time as this comparison does.
      const key = timingSafeEqual(found?.secretHash ?? Buffer.alloc(digest.length), digest) ? found : null;
      if (key === null) {
        this.unknown.set(name, performance.now());
        const id = this.ids.get(name);
        if (id !== undefined) this.keys.delete(id);
      }
      return key === null ? null : { at, key, digest: name };
    });
  }

  async find(id: string): Promise<ApiKey | null> {
    const known = this.recent(id);
    if (known !== null) return known;
    return this.share(id, async (at) => {
      const key = await this.store.find(id);
      return key === null ? null : { at, key, digest: this.keys.get(id)?.digest ?? null };
    });
  }

  /** Drops a key that this process has revoked or confirmed. */
  forget(id: string): void {
    this.changes += 1;
    this.pending.clear();
    this.keys.delete(id);
  }

  private recent(id: string | undefined): ApiKey | null {
    const cached = id === undefined ? undefined : this.keys.get(id);
    return cached !== undefined && isRecent(cached) ? cached.key : null;
  }

  /** @param name a digest or an ID, which have different lengths. */
  private share(name: string, read: (at: number) => Promise<CachedKey | null>): Promise<ApiKey | null> {
    const other = this.pending.get(name);
    if (other !== undefined && isRecent(other)) return other.key;
    const at = performance.now();
    const { changes } = this;
    const key = read(at).then((found) => {
      // A read that began before a change may return the key without the change.
      if (found !== null && changes === this.changes) {
        this.keys.set(found.key.id, found);
        if (found.digest !== null) this.ids.set(found.digest, found.key.id);
      }
      return found?.key ?? null;
    });
    this.pending.set(name, { at, key });
    const end = () => {
      if (this.pending.get(name)?.key === key) this.pending.delete(name);
    };
    key.then(end, end);
    return key;
  }
}

function isRecent({ at }: { readonly at: number }): boolean {
  return performance.now() - at < MAX_AGE_MS;
}

function nameOf(digest: Buffer): string {
  return digest.toString('base64');
}
