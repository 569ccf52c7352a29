import { Inject, Injectable } from '@nestjs/common';
import { type ApiKey, findAtReplica } from '../storage/api-key-store.js';
import { REPLICA, Readers, type Replica } from '../storage/replica-readers.js';
import { KeyCache } from './key-cache.js';
import { Problem } from '../problem/problem.js';
import type { Principal } from './principal.js';

/**
 * The keys by which requests are authenticated. While the primary is away, requests that only read use those of a replica, which
 * a cache of its own keeps.
 */
@Injectable()
export class KeyReads {
  private readonly caches: Readers<KeyCache>;

  constructor(
    private readonly cache: KeyCache,
    @Inject(REPLICA) replica: Replica | null,
  ) {
    this.caches = new Readers(cache, replica, (server) => {
      // Only the primary finds a key by its ID: for the keys of long responses, which are of the primary.
      return new KeyCache({ findByHash: (hash) => findAtReplica(server, hash), find: () => Promise.resolve(null) });
    });
  }

  /** Whether a digest belonged to a key at the last read, including expired and revoked keys. */
  recognizes(digest: Buffer): boolean {
    return this.cache.recognizes(digest);
  }

  /** Reads a key anew at its next use: this process has revoked or confirmed it. */
  forget(id: string): void {
    this.cache.forget(id);
    this.caches.atReplica?.forget(id);
  }

  /** @returns null for an unknown key. */
  findByDigest(digest: Buffer, isRead: boolean): Promise<ApiKey | null> {
    if (!isRead || this.cache.has(digest)) return this.cache.findByDigest(digest);
    return this.caches.primaryFirst((at) => at.findByDigest(digest));
  }
}

/** Revalidates the key of a request during its response, because streams and long polls can outlive the key. */
@Injectable()
export class KeyValidity {
  constructor(private readonly cache: KeyCache) {}

  /** @throws Problem UNAUTHENTICATED when the key of a principal, if it has one, has expired or was revoked. */
  async require({ keyId }: Principal): Promise<void> {
    if (keyId === null) return;
    const key = await this.cache.find(keyId);
    const isValid = key?.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > Date.now());
    if (isValid) return;
    throw new Problem('UNAUTHENTICATED', 'The API key expired or was revoked while the request was processed.', {
      headers: { 'www-authenticate': 'Bearer realm="mintmark", error="invalid_token"' },
    });
  }
}
