import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Who sends a request, as the guard found out. */
export interface Caller {
  /** The client, under which idempotency keys and the history know it. */
  readonly client: string;
  /** The id of the key that it used; null without one. */
  readonly keyId: string | null;
}

/** Where access is open, nobody says who they are. */
export const ANONYMOUS: Caller = { client: 'anonymous', keyId: null };

/** Whoever holds `ADMIN_API_KEY`. */
export const ADMIN: Caller = { client: 'admin', keyId: null };

const callers = new WeakMap<object, Caller>();

/** Remembers who sends a request. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request.raw, caller);
}

/** Who sends a request that has passed the guard. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request.raw) ?? ANONYMOUS;
}

/** Gives a handler the caller. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
