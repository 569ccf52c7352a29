import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type ApiKey, ApiKeyStore } from '../storage/api-key-store.js';

/** Milliseconds for which a secret counts as unknown: a restored database may contain its key. */
const UNKNOWN_FOR_MS = 60_000;

/** Caches hashes of unknown secrets, separately from known keys, so that guesses do not evict keys. */
export class UnknownSecrets {
  private readonly since = new Map<string, number>();

  /** Above `most` hashes the oldest is evicted; `now` is monotonic time in milliseconds. */
  constructor(
    private readonly most = 10_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  has(hash: string): boolean {
    const at = this.since.get(hash);
    return at !== undefined && this.now() - at < UNKNOWN_FOR_MS;
  }

  add(hash: string): void {
    this.since.delete(hash);
    this.since.set(hash, this.now());
    const [oldest] = this.since.keys();
    if (this.since.size > this.most && oldest !== undefined) this.since.delete(oldest);
  }
}

/** Milliseconds for which a key is cached: a revocation takes effect within this time on every instance. */
const MAX_AGE_MS = 2000;

const MAX_CACHED_KEYS = 10_000;

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
  private readonly keys = new Map<string, CachedKey>();
  private readonly ids = new Map<string, string>();
  private readonly pending = new Map<string, PendingRead>();
  private readonly unknown = new UnknownSecrets();
  private changes = 0;

  constructor(@Inject(ApiKeyStore) private readonly store: Pick<ApiKeyStore, 'find' | 'findByHash'>) {}

  /** Whether a digest belonged to a key at the last read, including expired and revoked keys. */
  recognizes(digest: Buffer): boolean {
    return this.ids.has(nameOf(digest));
  }

  /** Whether a key that was read recently has the digest, so that `findByDigest` reads nothing. */
  has(digest: Buffer): boolean {
    return this.recent(this.ids.get(nameOf(digest))) !== null;
  }

  async findByDigest(digest: Buffer): Promise<ApiKey | null> {
    const name = nameOf(digest);
    const known = this.recent(this.ids.get(name));
    if (known !== null) return known;
    if (this.unknown.has(name)) return null;
    return this.share(name, async (at) => {
      const found = await this.store.findByHash(digest);
      // The index has compared the digests already; this comparison takes constant time.
      const key = timingSafeEqual(found?.secretHash ?? Buffer.alloc(digest.length), digest) ? found : null;
      if (key === null) {
        this.unknown.add(name);
        this.remove(this.ids.get(name));
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

  /** Reads a key anew at its next use: this process has revoked or confirmed it. */
  forget(id: string): void {
    this.changes += 1;
    this.pending.clear();
    this.remove(id);
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
      // A read that began before a change may have the key as it was.
      if (found !== null && changes === this.changes) this.add(found);
      return found?.key ?? null;
    });
    this.pending.set(name, { at, key });
    const end = () => {
      if (this.pending.get(name)?.key === key) this.pending.delete(name);
    };
    key.then(end, end);
    return key;
  }

  private add(cached: CachedKey): void {
    this.remove(cached.key.id);
    this.keys.set(cached.key.id, cached);
    if (cached.digest !== null) this.ids.set(cached.digest, cached.key.id);
    if (this.keys.size > MAX_CACHED_KEYS) this.remove(this.keys.keys().next().value);
  }

  private remove(id: string | undefined): void {
    if (id === undefined) return;
    const digest = this.keys.get(id)?.digest ?? null;
    if (digest !== null) this.ids.delete(digest);
    this.keys.delete(id);
  }
}

function isRecent({ at }: { readonly at: number }): boolean {
  return performance.now() - at < MAX_AGE_MS;
}

function nameOf(digest: Buffer): string {
  return digest.toString('base64');
}
