import { Injectable } from '@nestjs/common';
import type { ApiKey as ApiKeyRow } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import type { Sessions } from '../database/replica/server-state.js';
import type { Queryable } from './transactions.js';

/** An API key without the digest of its secret; `prisma/schema.prisma` describes the members. */
export type ApiKey = Readonly<Omit<ApiKeyRow, 'secretHash' | 'scopes' | 'grants'>> & {
  readonly scopes: readonly string[];
  readonly grants: readonly { readonly namingAuthority: string; readonly derived: boolean }[] | null;
};

export type StoredKey = ApiKey & { readonly secretHash: Uint8Array };

/** A key to create. The caller generates its ID and its secret. */
export interface NewApiKey extends Pick<
  ApiKey,
  'id' | 'client' | 'label' | 'scopes' | 'grants' | 'expiresAt' | 'createdBy' | 'openAccess' | 'handleUser'
> {
  readonly secretHash: Uint8Array;
}

const WITHOUT_SECRET = { secretHash: true } as const;

/** $1: the SHA-256 of the secret. */
const KEY_BY_HASH = `
  SELECT id, client, label, secret_hash AS "secretHash", scopes, grants, expires_at AS "expiresAt", revoked_at AS "revokedAt",
         last_used_at AS "lastUsedAt", created_at AS "createdAt", created_by AS "createdBy", open_access AS "openAccess",
         confirmed_at AS "confirmedAt", confirmed_by AS "confirmedBy", handle_user AS "handleUser"
  FROM api_key WHERE secret_hash = $1`;

/** Like `ApiKeyStore.findByHash`, at a replica. @throws Error for an unknown key, which the primary may have. */
export async function findAtReplica(replica: Sessions, hash: Uint8Array): Promise<StoredKey> {
  const query = { name: 'key-by-hash', text: KEY_BY_HASH, values: [Buffer.from(hash)] };
  const [row] = (await replica.query<StoredKey>(query)).rows;
  if (row === undefined) throw new Error('the replica does not have the key');
  return row;
}

@Injectable()
export class ApiKeyStore {
  constructor(private readonly prisma: PrismaService) {}

  /** @param hash SHA-256 of the secret. */
  async findByHash(hash: Uint8Array): Promise<StoredKey | null> {
    const row = await this.prisma.apiKey.findUnique({ where: { secretHash: new Uint8Array(hash) } });
    return row as StoredKey | null;
  }

  async find(id: string): Promise<ApiKey | null> {
    const row = await this.prisma.apiKey.findUnique({ omit: WITHOUT_SECRET, where: { id } });
    return row as ApiKey | null;
  }

  /** Reads one page of keys in order of creation, including revoked and expired keys. */
  async page(limit: number, after: { createdAt: Date; id: string } | undefined): Promise<ApiKey[]> {
    const rows = await this.prisma.apiKey.findMany({
      omit: WITHOUT_SECRET,
      where:
        after === undefined
          ? {}
          : { OR: [{ createdAt: { gt: after.createdAt } }, { createdAt: after.createdAt, id: { gt: after.id } }] },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: limit,
    });
    return rows as ApiKey[];
  }

  async create(transaction: Queryable, key: NewApiKey): Promise<void> {
    await transaction.query(
      `INSERT INTO api_key (id, client, label, secret_hash, scopes, grants, expires_at, created_by, open_access,
                            handle_user)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        key.id,
        key.client,
        key.label,
        Buffer.from(key.secretHash),
        key.scopes,
        key.grants === null ? null : JSON.stringify(key.grants),
        key.expiresAt,
        key.createdBy,
        key.openAccess,
        key.handleUser,
      ],
    );
  }

  async revoke(transaction: Queryable, id: string): Promise<boolean> {
    const { rowCount } = await transaction.query(
      'UPDATE api_key SET revoked_at = coalesce(revoked_at, CURRENT_TIMESTAMP) WHERE id = $1',
      [id],
    );
    return rowCount === 1;
  }

  /** Confirms a key that was created under open access. @param by the administrator's client. @returns false if the key does not exist. */
  async confirm(transaction: Queryable, id: string, by: string): Promise<boolean> {
    const { rowCount } = await transaction.query(
      `UPDATE api_key SET confirmed_at = CASE WHEN open_access THEN coalesce(confirmed_at, CURRENT_TIMESTAMP) END,
         confirmed_by = CASE WHEN open_access THEN coalesce(confirmed_by, $2) END
       WHERE id = $1`,
      [id, by],
    );
    return rowCount === 1;
  }

  /** Records a use, at most once a minute. The commit waits neither for the disk nor for a standby, because a lost use is harmless. */
  async touch(id: string): Promise<void> {
    const minuteAgo = new Date(Date.now() - 60_000);
    await this.prisma.$transaction([
      this.prisma.$executeRaw`SET LOCAL synchronous_commit = off`,
      this.prisma.apiKey.updateMany({
        where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: minuteAgo } }] },
        data: { lastUsedAt: new Date() },
      }),
    ]);
  }
}
