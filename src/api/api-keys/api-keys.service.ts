import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import { Authenticator } from '../../access/authenticator.js';
import { KeyValidity } from '../../access/key-validity.js';
import type { Principal } from '../../access/principal.js';
import { newSecret, secretHash } from '../../access/key-secret.js';
import type { Scope } from '../../access/scope.js';
import { Cursors } from '../../http/validation/cursor.js';
import { parseNamingAuthority } from '../../identifier/index.js';
import { Problem, malformed } from '../../problem/problem.js';
import { type ApiKey, ApiKeyStore } from '../../storage/api-key-store.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../../storage/idempotency.js';
import { readTime, requireFuture } from '../../registry/timestamp.js';
import { isUuid } from '../../registry/uuid.js';
import type { ApiKeyDto, ApiKeyPageDto, CreateApiKeyDto, CreatedApiKeyDto } from './api-key.dto.js';

type KeyPosition = Pick<ApiKey, 'createdAt' | 'id'>;

const NOT_FOUND = 'There is no API key with this id.';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly outcomes: IdempotentRequests,
    private readonly cursors: Cursors,
    private readonly authenticator: Authenticator,
    private readonly validity: KeyValidity,
  ) {}

  /** @throws Problem with a syntax code for a naming authority, INVALID_REQUEST for an expiry in the past. */
  async create(
    request: CreateApiKeyDto,
    principal: Principal,
    idempotencyKey: string | undefined,
  ): Promise<{ created: CreatedApiKeyDto; replayed: boolean }> {
    const grants = request.namingAuthorities?.map(({ namingAuthority, derived = false }, index) => {
      const read = parseNamingAuthority(namingAuthority, 'handle');
      if (!read.ok) throw malformed(read.fault, `/namingAuthorities/${index}/namingAuthority`);
      return { namingAuthority, derived };
    });
    const expiresAt = request.expiresAt === undefined ? null : readTime(request.expiresAt, '/expiresAt');
    const secret = newSecret();
    const { client, label = null, scopes } = request;
    const requested = { client, label, scopes, grants: grants ?? null, expiresAt };
    const { result: outcome, replayed } = await this.outcomes.run(
      keyedRequest(principal, idempotencyKey, ['POST /api-keys', requested]),
      async (transaction) => {
        // Not earlier: a replay returns the first result even after the expiry.
        if (expiresAt !== null) requireFuture(expiresAt, '/expiresAt');
        const key = { id: uuid(), ...requested, createdBy: principal.client, openAccess: principal.isAnonymous };
        await this.keys.create(transaction, { ...key, secretHash: secretHash(secret) });
        return key.id;
      },
    );
    return { created: { ...(await this.find(outcome)), secret: replayed ? null : secret }, replayed };
  }

  /** @throws Problem API_KEY_NOT_FOUND */
  async find(id: string): Promise<ApiKeyDto> {
    const key = isUuid(id) ? await this.keys.find(id) : null;
    if (key === null) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
    return shown(key);
  }

  async page(limit: number, cursor: string | undefined): Promise<ApiKeyPageDto> {
    const after = cursor === undefined ? undefined : this.positionOf(cursor);
    // One more than the page size shows that there is a next page.
    const found = await this.keys.page(limit + 1, after);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(shown),
      next: found.length > limit && last !== undefined ? this.cursorAfter(last) : null,
    };
  }

  private cursorAfter({ createdAt, id }: KeyPosition): string {
    return this.cursors.write('api keys', [BigInt(createdAt.getTime()), id]);
  }

  private positionOf(cursor: string): KeyPosition {
    const { numbers, text: id } = this.cursors.read('api keys', 1, cursor);
    return { createdAt: new Date(Number(numbers[0])), id };
  }

  /** @throws Problem OPEN_ACCESS_FORBIDDEN, API_KEY_NOT_FOUND */
  async confirm(id: string, principal: Principal, idempotencyKey: string | undefined): Promise<Replayable<ApiKeyDto>> {
    // A client that created a key under open access must not confirm it.
    if (principal.isAnonymous) {
      throw new Problem(
        'OPEN_ACCESS_FORBIDDEN',
        'API keys can be confirmed only under ACCESS=keys, with the key of an administrator.',
      );
    }
    const request = keyedRequest(principal, idempotencyKey, ['POST /api-keys/confirm', id]);
    const { replayed } = await this.outcomes.run(request, async (transaction) => {
      const confirmed = isUuid(id) && (await this.keys.confirm(transaction, id, principal.client));
      if (!confirmed) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
      return id;
    });
    this.forget(id);
    return { result: await this.find(id), replayed };
  }

  async revoke(id: string, principal: Principal, idempotencyKey: string | undefined): Promise<boolean> {
    const request = keyedRequest(principal, idempotencyKey, ['DELETE /api-keys', id]);
    const { replayed } = await this.outcomes.run(request, async (transaction) => {
      const revoked = isUuid(id) && (await this.keys.revoke(transaction, id));
      if (!revoked) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
      return id;
    });
    this.forget(id);
    return replayed;
  }

  /** Takes effect at once in this process, and in other replicas within two seconds. */
  private forget(id: string): void {
    this.authenticator.forget(id);
    this.validity.forget(id);
  }
}

function shown({
  grants,
  scopes,
  expiresAt,
  revokedAt,
  lastUsedAt,
  createdAt,
  confirmedAt,
  ...key
}: ApiKey): ApiKeyDto {
  return {
    ...key,
    scopes: scopes as Scope[],
    namingAuthorities: grants === null ? null : [...grants],
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    confirmedAt: confirmedAt?.toISOString() ?? null,
  };
}
