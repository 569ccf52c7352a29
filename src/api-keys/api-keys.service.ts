import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import type { Caller } from '../access/caller.js';
import { newSecret, secretHash } from '../access/key-secret.js';
import type { Scope } from '../access/scope.js';
import { parseNamingAuthority } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import { type ApiKey, ApiKeys } from '../record/api-keys.js';
import { Outcomes, keyedRequest } from '../record/outcomes.js';
import { readTime, requireFuture } from '../record/time.js';
import { isUuid } from '../record/uuid-text.js';
import type { ApiKeyDto, ApiKeyRequestDto, CreatedApiKeyDto } from './api-key.dto.js';

const NOT_FOUND = 'There is no API key with this id.';

/** Creates and revokes keys. Two keys of one client live together, so a key is rotated without a gap. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeys,
    private readonly outcomes: Outcomes,
  ) {}

  /** @throws Problem with a syntax code for a naming authority, INVALID_REQUEST for an end that is past. */
  async create(
    request: ApiKeyRequestDto,
    caller: Caller,
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
    const wanted = { client, label, scopes, grants: grants ?? null, expiresAt };
    const { outcome, replayed } = await this.outcomes.once(
      keyedRequest(caller, idempotencyKey, ['POST /api-keys', wanted]),
      async (transaction) => {
        // Not before: a repeat is told what the first request came to, whenever it comes.
        if (expiresAt !== null) requireFuture(expiresAt, '/expiresAt');
        const key = { id: uuid(), ...wanted, createdBy: caller.client };
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

  async page(limit: number, after: { createdAt: Date; id: string } | undefined): Promise<ApiKeyDto[]> {
    return (await this.keys.page(limit, after)).map(shown);
  }

  /** @throws Problem API_KEY_NOT_FOUND */
  async revoke(id: string, caller: Caller, idempotencyKey: string | undefined): Promise<boolean> {
    const request = keyedRequest(caller, idempotencyKey, ['DELETE /api-keys', id]);
    const { replayed } = await this.outcomes.once(request, async (transaction) => {
      const revoked = isUuid(id) && (await this.keys.revoke(transaction, id));
      if (!revoked) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
      return id;
    });
    return replayed;
  }
}

function shown({ grants, scopes, expiresAt, revokedAt, lastUsedAt, createdAt, ...key }: ApiKey): ApiKeyDto {
  return {
    ...key,
    scopes: scopes as Scope[],
    namingAuthorities: grants === null ? null : [...grants],
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
