import { Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';
import { KeyCache } from './key-cache.js';
import type { Principal } from './principal.js';

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
