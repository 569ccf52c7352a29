import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { type Caller, callerOf } from './caller.js';

/** Who asks for a change, and under which key. */
export interface Asked {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

/**
 * Who asks by a request that has passed the guard.
 * @throws Problem INVALID_IDEMPOTENCY_KEY
 */
export function askedBy(request: FastifyRequest): Asked {
  return { caller: callerOf(request), idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']) };
}

/** Gives a handler who asks. */
export const AskedBy = createParamDecorator((_: unknown, context: ExecutionContext) =>
  askedBy(context.switchToHttp().getRequest<FastifyRequest>()),
);
