import { Inject, Injectable } from '@nestjs/common';
import type { ApiKey as ApiKeyRow } from '../../database/generated/client.js';
import { REPLICA, type Replica } from '../../database/replica/replica.js';
import { ReplicaUnusableError } from '../../database/replica/replica-watch.js';
import { type StoredKey, keyOf } from '../api-key-store.js';

/** $1: the SHA-256 of the secret. */
const KEY_BY_HASH = `
  SELECT id, client, label, secret_hash AS "secretHash", scopes, grants, expires_at AS "expiresAt", revoked_at AS "revokedAt",
         last_used_at AS "lastUsedAt", created_at AS "createdAt", created_by AS "createdBy", open_access AS "openAccess",
         confirmed_at AS "confirmedAt", confirmed_by AS "confirmedBy", handle_user AS "handleUser"
  FROM api_key WHERE secret_hash = $1`;

/** API keys at the replica, for requests that only read. */
@Injectable()
export class ReplicaKeyStore {
  constructor(@Inject(REPLICA) private readonly replica: Replica | null) {}

  get exists(): boolean {
    return this.replica !== null;
  }

  /** See `Replica.orReplica`. */
  orReplica<T>(atPrimary: () => Promise<T>, atReplica: () => Promise<T>): Promise<T> {
    return this.replica === null ? atPrimary() : this.replica.orReplica(atPrimary, atReplica);
  }

  /**
   * @param hash SHA-256 of the secret.
   * @throws ReplicaUnusableError for an unknown key, because the primary may have it.
   */
  async findByHash(hash: Uint8Array): Promise<StoredKey> {
    const query = { name: 'key-by-hash', text: KEY_BY_HASH, values: [Buffer.from(hash)] };
    const row = (await this.replica?.query<ApiKeyRow>(query))?.rows[0];
    if (row === undefined) throw new ReplicaUnusableError('the replica does not have the key');
    return { ...keyOf(row), secretHash: row.secretHash };
  }
}
