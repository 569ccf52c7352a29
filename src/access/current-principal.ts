import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '../http/headers/idempotency-key.js';
import { setRateLimitHeaders } from './limits/rate-limit-headers.js';
import { type Principal, UNAUTHENTICATED, type RequestContext, clientIdentity } from './principal.js';

const CALLER = Symbol('caller');

/** The principal is a member of the request, because a WeakMap entry per request slows garbage collection. */
interface WithCaller {
  [CALLER]?: Principal;
}

export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  (request.raw as WithCaller)[CALLER] = principal;
  request.keyName = principal.keyId ?? (principal.isAnonymous ? null : principal.client);
}

export function principalOf(request: FastifyRequest): Principal {
  return (request.raw as WithCaller)[CALLER] ?? UNAUTHENTICATED;
}

export function clientOf(request: FastifyRequest): string {
  return clientIdentity(principalOf(request), request.ip);
}

/** @throws Problem INVALID_IDEMPOTENCY_KEY */
export function requestContextOf(request: FastifyRequest, reply: FastifyReply): RequestContext {
  return {
    principal: principalOf(request),
    idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
    onCharge: (quota, taken) => {
      setRateLimitHeaders(reply, 'naming-authority', quota, taken);
    },
  };
}

export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export const Context = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return requestContextOf(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});
