import { Inject, Injectable } from '@nestjs/common';
import { type ApiKey, findAtReplica } from '../storage/api-key-store.js';
import { REPLICA, Readers, type Replica } from '../storage/replica-readers.js';
import { KeyCache } from './key-cache.js';
import { type Principal, unauthenticated } from './principal.js';

/** Finds the key of a request. While the primary is slow or unavailable, requests that only read use the replica, with its own cache. */
@Injectable()
export class KeyReads {
  private readonly caches: Readers<KeyCache>;

  constructor(
    private readonly cache: KeyCache,
    @Inject(REPLICA) replica: Replica | null,
  ) {
    this.caches = new Readers(cache, replica, (server) => {
      // Only `KeyValidity` finds keys by ID, and it uses the cache of the primary.
      return new KeyCache({ findByHash: (hash) => findAtReplica(server, hash), find: () => Promise.resolve(null) });
    });
  }

  recognizes(digest: Buffer): boolean {
    return this.cache.recognizes(digest);
  }

  forget(id: string): void {
    this.cache.forget(id);
    this.caches.atReplica?.forget(id);
  }

  findByDigest(digest: Buffer, isRead: boolean): Promise<ApiKey | null> {
    if (!isRead || this.cache.has(digest)) return this.cache.findByDigest(digest);
    return this.caches.primaryFirst((at) => at.findByDigest(digest));
  }
}

/** Revalidates the key of a request during its response, because a stream or long poll can last longer than its key is valid. */
@Injectable()
export class KeyValidity {
  constructor(private readonly cache: KeyCache) {}

  /** @throws Problem UNAUTHENTICATED if the key of the principal has expired or has been revoked. */
  async require({ keyId }: Principal): Promise<void> {
    if (keyId === null) return;
    const key = await this.cache.find(keyId);
    const isValid = key?.revokedAt === null && (key.expiresAt === null || key.expiresAt.getTime() > Date.now());
    if (isValid) return;
    throw unauthenticated('The API key expired or was revoked while the request was processed.');
  }
}
