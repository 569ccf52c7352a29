import { Injectable } from '@nestjs/common';
import { ApiKeyStore } from '../storage/api-key-store.js';
import { isSameUser } from '../registry/handle-user.js';
import type { BasicCredentials } from './basic-credentials.js';
import { Principal, type Scope, unauthenticated } from './principal.js';
import { KeyReads } from './key-reads.js';
import { isSecret, secretHash } from './key-secret.js';

/** Minimum interval between two updates of the last use of a key, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;

@Injectable()
export class Authenticator {
  private readonly touched = new Map<string, number>();

  constructor(
    private readonly reads: KeyReads,
    private readonly keys: ApiKeyStore,
  ) {}

  recognizes(secret: string): boolean {
    return this.reads.recognizes(secretHash(secret));
  }

  /**
   * @returns null for an unknown, expired or revoked key, and for a key without this Handle user.
   * @throws Problem UNAUTHENTICATED for an unconfirmed key that was created under open access.
   */
  async authenticate(secret: string, user: BasicCredentials | null = null, isRead = false): Promise<Principal | null> {
    if (!isSecret(secret)) return null;
    const key = await this.reads.findByDigest(secretHash(secret), isRead);
    const now = Date.now();
    if (key?.revokedAt !== null) return null;
    if (key.expiresAt !== null && key.expiresAt.getTime() <= now) return null;
    if (key.openAccess && key.confirmedAt === null) {
      throw unauthenticated(
        `The API key ${key.id} was created under ACCESS=open. An administrator must confirm it with POST /api-keys/${key.id}/confirm.`,
      );
    }
    if (user !== null && (key.handleUser === null || !isSameUser(user, key.handleUser))) return null;
    this.touch(key.id, now);
    return new Principal(key.client, key.id, key.scopes as readonly Scope[], key.grants);
  }

  private touch(id: string, now: number): void {
    if (now - (this.touched.get(id) ?? 0) < TOUCH_INTERVAL_MS) return;
    this.touched.set(id, now);
    this.keys.touch(id).catch(() => this.touched.delete(id));
  }
}
