import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '../http/headers/idempotency-key.js';
import { type Principal, principalOf } from './principal.js';

export interface RequestContext {
  readonly principal: Principal;
  readonly idempotencyKey: string | undefined;
}

/** @throws Problem INVALID_IDEMPOTENCY_KEY */
export function requestContextOf(request: FastifyRequest): RequestContext {
  return { principal: principalOf(request), idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']) };
}

export const Context = createParamDecorator((_: unknown, context: ExecutionContext) =>
  requestContextOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
