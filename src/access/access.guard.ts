import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import type { PublicHistory } from '../config/environment.js';
import { onlyReads } from '../http/route-settings.js';
import { Problem } from '../problem/problem.js';
import { Authenticator } from './authenticator.js';
import { readBasicCredentials } from './basic-credentials.js';
import { setPrincipal } from './current-principal.js';
import {
  ADMIN,
  OPEN_ACCESS,
  type Principal,
  PUBLIC_READER,
  READER_WITHOUT_ACTORS,
  READER_WITHOUT_HISTORY,
  requireScope,
  type Scope,
  unauthenticated,
} from './principal.js';
import type { FailedAuthentications } from './failed-authentications.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route also accepts `Authorization: Basic` with the Handle user of a key, which clients of Handle servers send. */
    acceptsBasic?: boolean;
  }
}

export type AccessRules = Pick<Config, 'adminApiKey' | 'publicRead' | 'publicHistory'>;

const ANONYMOUS_READERS: Readonly<Record<PublicHistory, Principal>> = {
  full: PUBLIC_READER,
  anonymous: READER_WITHOUT_ACTORS,
  none: READER_WITHOUT_HISTORY,
};

/** Authenticates requests before their bodies are read (see `admission.ts`) and checks the scope of the route. */
export class AccessGuard {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly rules: AccessRules,
    private readonly failures: FailedAuthentications,
  ) {}

  /**
   * Sets the principal of a request, and requires one of the scopes unless the route needs no key.
   * @returns null if the request is admitted without a key; otherwise a promise of the look-up of its key.
   */
  admit(request: FastifyRequest, scopes: readonly Scope[]): Promise<void> | null {
    const { adminApiKey, publicRead, publicHistory } = this.rules;
    if (adminApiKey === null) {
      setPrincipal(request, OPEN_ACCESS);
      return null;
    }
    const { showsHistory: isHistory = false, needsKey = false } = request.routeOptions.config;
    const isPublic = publicRead && !needsKey && !(isHistory && publicHistory === 'none') && scopes.includes('read');
    if (!isPublic || request.headers.authorization !== undefined)
      return this.admitKey(request, adminApiKey, isPublic ? null : scopes);
    setPrincipal(request, ANONYMOUS_READERS[publicHistory]);
    return null;
  }

  /** The principal of a request that reads without a key; null if reading requires a key. */
  get publicReader(): Principal | null {
    const { adminApiKey, publicRead, publicHistory } = this.rules;
    if (adminApiKey === null) return OPEN_ACCESS;
    return publicRead ? ANONYMOUS_READERS[publicHistory] : null;
  }

  /** @param scopes null for a route that needs no key, on which any valid key is accepted. */
  private async admitKey(request: FastifyRequest, adminApiKey: string, scopes: readonly Scope[] | null): Promise<void> {
    const { publicRead, publicHistory } = this.rules;
    const acceptsBasic = request.routeOptions.config.acceptsBasic === true;
    const principal = await this.authenticate(request, adminApiKey, acceptsBasic);
    if (principal === null) {
      throw request.headers.authorization === undefined
        ? unauthenticated('Send the API key as "Authorization: Bearer <key>".', false)
        : unauthenticated(
            'The API key is unknown, expired or revoked. Send a valid key as "Authorization: Bearer <key>".',
          );
    }
    // The principal is set before the scope is checked, because the log of a rejected request also names its key.
    setPrincipal(request, principal);
    if (scopes !== null) requireScope(principal, ...scopes);
    if (publicRead) setPrincipal(request, principal.withPublicRead(publicHistory !== 'none'));
  }

  private async authenticate(
    request: FastifyRequest,
    adminApiKey: string,
    acceptsBasic: boolean,
  ): Promise<Principal | null> {
    const { ip, headers } = request;
    const { authorization = '' } = headers;
    const user = acceptsBasic ? readBasicCredentials(authorization) : null;
    const [, secret = user?.secret ?? ''] = /^bearer ([!-~]+)$/i.exec(authorization) ?? [];
    if (user === null && timingSafeEqual(digest(secret), digest(adminApiKey))) return ADMIN;
    const isRecognized = this.authenticator.recognizes(secret);
    // The attempt is counted before the look-up, so that concurrent guesses are limited too.
    if (!isRecognized) this.failures.count(ip);
    const attempt = this.authenticator.authenticate(secret, user, onlyReads(request));
    // An unconfirmed key is a failed authentication; a database error is not.
    const isFailure = await attempt.then(
      (principal) => principal === null,
      (error: unknown) => error instanceof Problem && error.code === 'UNAUTHENTICATED',
    );
    if (isFailure && isRecognized) this.failures.count(ip);
    if (!isFailure && !isRecognized) this.failures.forgive(ip);
    return attempt;
  }
}

/** Hashes a key for `timingSafeEqual`, which requires equal lengths. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
