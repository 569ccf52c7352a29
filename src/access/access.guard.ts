import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.js';
import { Authenticator } from './authenticator.js';
import { ADMIN, ANYONE, type Caller, READER, requireScope, setCaller } from './caller.js';
import { REQUIRED_SCOPE, type Scope } from './scope.js';

/** Who may do what without a key of their own. */
export interface AccessRules {
  /** The key that may do everything; null where access is open to everybody. */
  readonly adminApiKey: string | null;
  /** Whether everybody may read. */
  readonly publicRead: boolean;
}

/**
 * Finds out who sends a request, and lets it through when their key has the scope that the route asks for. A guard and
 * not middleware: it runs for the route that was matched, whatever the spelling of the path.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly rules: AccessRules,
  ) {}

  /** @throws Problem UNAUTHENTICATED or SCOPE_MISSING */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const scopes = this.reflector.getAllAndOverride<readonly Scope[] | undefined>(REQUIRED_SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (scopes === undefined)
      throw new TypeError(`${context.getClass().name}.${context.getHandler().name} asks for no scope`);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const [scope] = scopes;
    if (scope !== undefined) setCaller(request, await this.callerOf(request, scopes));
    return true;
  }

  private async callerOf(request: FastifyRequest, scopes: readonly Scope[]): Promise<Caller> {
    const { adminApiKey, publicRead } = this.rules;
    if (adminApiKey === null) return ANYONE;
    const isOpen = publicRead && scopes.includes('read');
    const { authorization } = request.headers;
    if (authorization === undefined && isOpen) return READER;
    const caller = authorization === undefined ? null : await this.authenticate(authorization, adminApiKey);
    if (caller === null) throw unauthenticated(authorization !== undefined);
    if (!isOpen) requireScope(caller, ...scopes);
    return publicRead ? caller.readingOpenly() : caller;
  }

  private async authenticate(authorization: string, adminApiKey: string): Promise<Caller | null> {
    const [, secret = ''] = /^bearer ([!-~]+)$/i.exec(authorization) ?? [];
    if (timingSafeEqual(digest(secret), digest(adminApiKey))) return ADMIN;
    return this.authenticator.authenticate(secret);
  }
}

function unauthenticated(hasKey: boolean): Problem {
  const detail = hasKey
    ? 'The key is not known here, or it has expired or was revoked. Send it as "Authorization: Bearer <key>".'
    : 'Send the API key as "Authorization: Bearer <key>".';
  const error = hasKey ? ', error="invalid_token"' : '';
  return new Problem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': `Bearer realm="mintmark"${error}` } });
}

/** Digests have one length whatever the key's, so comparing them tells nothing about it. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
