import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.js';
import { ADMIN, setCaller } from './caller.js';

const PUBLIC = 'access:public';

/** Marks what may be read without a key: health and the descriptions of problems. */
export const Public = (): ClassDecorator & MethodDecorator => SetMetadata(PUBLIC, true);

/**
 * Lets a request through that carries the key, or every request where access is open. A guard and not middleware: it runs
 * for the route that was matched, whatever the spelling of the path.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly expected: Buffer | null;

  /** @param adminApiKey the key that may do everything; null where access is open. */
  constructor(
    private readonly reflector: Reflector,
    adminApiKey: string | null,
  ) {
    this.expected = adminApiKey === null ? null : digest(adminApiKey);
  }

  /** @throws Problem UNAUTHENTICATED */
  canActivate(context: ExecutionContext): boolean {
    if (this.expected === null) return true;
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]))
      return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { authorization = '' } = request.headers;
    const [scheme, key = ''] = authorization.split(' ', 2);
    if (scheme?.toLowerCase() === 'bearer' && timingSafeEqual(digest(key), this.expected)) {
      setCaller(request, ADMIN);
      return true;
    }
    throw new Problem('UNAUTHENTICATED', 'Send the API key as "Authorization: Bearer <key>".', {
      headers: { 'www-authenticate': 'Bearer realm="mintmark"' },
    });
  }
}

/** Digests have one length whatever the key's, so comparing them tells nothing about it. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
