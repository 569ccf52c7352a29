import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import { KeyReads } from '../access/key-reads.js';
import { type Principal, covers, type RequestContext, type Scope } from '../access/principal.js';
import { newSecret, secretHash } from '../access/key-secret.js';
import { Problem, invalidValue } from '../problem/problem.js';
import { requirePrefix } from '../registry/naming-authority.js';
import { handleUserText, readHandleUser } from '../registry/handle-user.js';
import { type ApiKey, ApiKeyStore } from '../storage/api-key-store.js';
import { HandleUserStore, MAX_USERS } from '../storage/handle-user-store.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../storage/idempotency.js';
import { readTime, requireFuture } from '../registry/timestamp.js';
import { isUuid } from '../registry/uuid.js';

export type KeyPosition = Pick<ApiKey, 'createdAt' | 'id'>;

export interface CreateApiKeyCommand {
  readonly client: string;
  readonly label?: string;
  readonly scopes: readonly Scope[];
  /** The covered naming authorities; null for all. `derived` is false if absent. */
  readonly namingAuthorities: readonly { readonly namingAuthority: string; readonly derived?: boolean }[] | null;
  /** A time as in RFC 3339. If absent, the key never expires. */
  readonly expiresAt?: string;
  /** The user of a Handle client, as `index:handle`. */
  readonly handleUser?: string;
}

export interface CreatedApiKey {
  readonly key: ApiKey;
  /** Null in a replay. */
  readonly secret: string | null;
}

const USER = '/handleUser';

const NOT_FOUND = 'There is no API key with this id.';
const NO_KEYS = 'Access is open (ACCESS=open): requests have no API key, and every request may do everything.';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly requests: IdempotentRequests,
    private readonly reads: KeyReads,
    private readonly users: HandleUserStore,
    private readonly authorities: NamingAuthorityCache,
  ) {}

  /**
   * @throws Problem NAMING_AUTHORITY_FORBIDDEN for a restricted principal, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT, a syntax code for a
   * naming authority, INVALID_REQUEST for an expiry in the past; UNKNOWN_NAMING_AUTHORITY, HANDLE_USER_TAKEN, INVALID_REQUEST or
   * CONFLICT_IN_PROGRESS for the user.
   */
  async create(
    { principal, idempotencyKey }: RequestContext,
    command: CreateApiKeyCommand,
  ): Promise<Replayable<CreatedApiKey>> {
    requireUnrestricted(principal);
    const requested = parseApiKey(command);
    const request = keyedRequest(principal, idempotencyKey, ['POST /api-keys', requested]);
    // A replay returns the first result, even after the expiry. A rejected request claims no user.
    if (!(await this.requests.hasResult(request))) {
      if (requested.expiresAt !== null) requireFuture(requested.expiresAt, '/expiresAt');
      await this.claimUser(command, requested);
    }
    const secret = newSecret();
    const { result: id, replayed } = await this.requests.run(request, async (transaction) => {
      const key = { id: uuid(), ...requested, createdBy: principal.client, openAccess: principal.isAnonymous };
      await this.keys.create(transaction, { ...key, secretHash: secretHash(secret) });
      return key.id;
    });
    return { result: { key: await this.read(id), secret: replayed ? null : secret }, replayed };
  }

  async find(id: string, principal: Principal): Promise<ApiKey> {
    requireUnrestricted(principal);
    return this.read(id);
  }

  /** The key of a request; null for the administrator's key from the environment. @throws Problem API_KEY_NOT_FOUND under open access. */
  async findOwn(principal: Principal): Promise<ApiKey | null> {
    if (principal.isAnonymous) throw new Problem('API_KEY_NOT_FOUND', NO_KEYS);
    return principal.keyId === null ? null : this.read(principal.keyId);
  }

  /** @param after the last key of the previous page; undefined for the first page. */
  async page(principal: Principal, limit: number, after: KeyPosition | undefined) {
    requireUnrestricted(principal);
    const found = await this.keys.page(limit + 1, after);
    return { items: found.slice(0, limit), hasNext: found.length > limit };
  }

  async confirm({ principal, idempotencyKey }: RequestContext, id: string): Promise<Replayable<ApiKey>> {
    requireUnrestricted(principal);
    // A client that created a key under open access must not confirm it.
    if (principal.isAnonymous) {
      throw new Problem(
        'OPEN_ACCESS_FORBIDDEN',
        'API keys can be confirmed only under ACCESS=keys, with the key of an administrator.',
      );
    }
    const request = keyedRequest(principal, idempotencyKey, ['POST /api-keys/confirm', id]);
    const { replayed } = await this.requests.run(request, async (transaction) => {
      const confirmed = isUuid(id) && (await this.keys.confirm(transaction, id, principal.client));
      if (!confirmed) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
      return id;
    });
    this.reads.forget(id.toLowerCase());
    return { result: await this.read(id), replayed };
  }

  /** @returns whether this is a replay. */
  async revoke({ principal, idempotencyKey }: RequestContext, id: string): Promise<boolean> {
    requireUnrestricted(principal);
    const request = keyedRequest(principal, idempotencyKey, ['DELETE /api-keys', id]);
    const { replayed } = await this.requests.run(request, async (transaction) => {
      const revoked = isUuid(id) && (await this.keys.revoke(transaction, id));
      if (!revoked) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
      return id;
    });
    this.reads.forget(id.toLowerCase());
    return replayed;
  }

  /** The Handle of a user belongs to the client that names it first, and must not be an identifier. */
  private async claimUser({ client, handleUser }: CreateApiKeyCommand, { grants }: ParsedApiKey): Promise<void> {
    if (handleUser === undefined) return;
    const { namingAuthority, localName } = readHandleUser(handleUser, USER).handle;
    const known = await this.authorities.currentFor([namingAuthority]);
    const authority = known.find(namingAuthority);
    if (authority === undefined) {
      const detail = `The naming authority ${namingAuthority} of the user is not configured`;
      throw new Problem('UNKNOWN_NAMING_AUTHORITY', `${detail}.`, { errors: [{ pointer: USER, detail }] });
    }
    if (!covers(grants, authority.prefix)) {
      throw invalidValue(USER, `The key does not cover the naming authority ${authority.prefix} of the user.`);
    }
    const outcome = await this.users.claim(authority, localName, client);
    if (outcome === 'claimed') return;
    if (outcome === 'full') {
      throw invalidValue(
        USER,
        `The naming authority ${authority.prefix} has ${MAX_USERS} users already, which is the limit.`,
      );
    }
    const holder = outcome === 'identifier' ? 'is an identifier' : 'is the user of another client';
    const detail = `${authority.prefix}/${localName} ${holder}`;
    throw new Problem('HANDLE_USER_TAKEN', `${detail}.`, { errors: [{ pointer: USER, detail }] });
  }

  private async read(id: string): Promise<ApiKey> {
    const key = isUuid(id) ? await this.keys.find(id) : null;
    if (key === null) throw new Problem('API_KEY_NOT_FOUND', NOT_FOUND);
    return key;
  }
}

/** Rejects a restricted principal, because it could create an unrestricted key. */
function requireUnrestricted(principal: Principal): void {
  principal.requireUnrestricted('API keys can be managed only with a key that covers all naming authorities.');
}

type ParsedApiKey = ReturnType<typeof parseApiKey>;

function parseApiKey(command: CreateApiKeyCommand) {
  const { client, label = null, scopes, namingAuthorities, expiresAt } = command;
  const user = command.handleUser === undefined ? null : handleUserText(readHandleUser(command.handleUser, USER));
  const grants = namingAuthorities?.map(({ namingAuthority, derived = false }, index) => {
    requirePrefix(namingAuthority, `/namingAuthorities/${index}/namingAuthority`);
    return { namingAuthority, derived };
  });
  const expiry = expiresAt === undefined ? null : readTime(expiresAt, '/expiresAt');
  return { client, label, scopes, grants: grants ?? null, expiresAt: expiry, handleUser: user };
}
