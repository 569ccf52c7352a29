import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.js';
import { type Grant, covers } from './grants.js';
import { SCOPES, type Scope } from './scope.js';

/** Who sends a request, and what they may do, as the guard found out. */
export class Caller {
  /**
   * @param client the client, under which idempotency keys and the history know it.
   * @param keyId the id of the key that it used; null without one.
   * @param grants the naming authorities that it may touch; null for all.
   * @param seesAll whether it sees all of them nevertheless, because reading is open.
   */
  constructor(
    readonly client: string,
    readonly keyId: string | null,
    private readonly scopes: readonly Scope[],
    private readonly grants: readonly Grant[] | null,
    private readonly seesAll = false,
  ) {}

  has(scope: Scope): boolean {
    return this.scopes.includes(scope) || this.scopes.includes('admin');
  }

  /** Whether it has shown no key. */
  get isAnonymous(): boolean {
    return this.client === ANONYMOUS;
  }

  /** Whether it may touch only some naming authorities. */
  get isBound(): boolean {
    return this.grants !== null;
  }

  /** Whether some naming authorities are hidden from it. */
  get seesPart(): boolean {
    return this.isBound && !this.seesAll;
  }

  /** Whether it sees what belongs to a naming authority. */
  sees(namingAuthority: string): boolean {
    return this.seesAll || covers(this.grants, namingAuthority);
  }

  /**
   * @param pointer where the request names the naming authority.
   * @throws Problem SCOPE_MISSING or NAMING_AUTHORITY_FORBIDDEN
   */
  require(scope: Scope, namingAuthority: string, pointer: string): void {
    requireScope(this, scope);
    if (covers(this.grants, namingAuthority)) return;
    const detail = `this key does not cover the naming authority "${namingAuthority}"`;
    throw new Problem('NAMING_AUTHORITY_FORBIDDEN', detail, { errors: [{ pointer, detail }] });
  }

  /**
   * @param detail what only a caller for all naming authorities may do.
   * @throws Problem NAMING_AUTHORITY_FORBIDDEN
   */
  requireUnbound(detail: string): void {
    if (this.isBound) throw new Problem('NAMING_AUTHORITY_FORBIDDEN', detail);
  }

  /** The same caller where reading is open to everybody: what it may not change it still sees. */
  readingOpenly(): Caller {
    return new Caller(this.client, this.keyId, this.scopes, this.grants, true);
  }
}

/**
 * @param scopes one of them is enough.
 * @throws Problem SCOPE_MISSING
 */
export function requireScope(caller: Caller, ...scopes: readonly Scope[]): void {
  if (scopes.some((scope) => caller.has(scope))) return;
  throw new Problem('SCOPE_MISSING', `This needs a key with the scope ${scopes.map((s) => `"${s}"`).join(' or ')}.`, {
    headers: { 'www-authenticate': `Bearer realm="mintmark", error="insufficient_scope", scope="${scopes.join(' ')}"` },
  });
}

/** The client of whoever shows no key. */
const ANONYMOUS = 'anonymous';

/** Where access is open, nobody says who they are and everybody may do everything. */
export const ANYONE = new Caller(ANONYMOUS, null, SCOPES, null);

/** Whoever reads without a key. */
export const READER = new Caller(ANONYMOUS, null, ['read'], null);

/** Whoever holds `ADMIN_API_KEY`. */
export const ADMIN = new Caller('admin', null, ['admin'], null);

/** Whoever asks for what is public: nobody looks who they are. */
export const NOBODY = new Caller(ANONYMOUS, null, [], []);

const CALLER = Symbol('caller');

/** A member of the request and not a WeakMap, whose every entry the garbage collector looks at. */
interface Asking {
  [CALLER]?: Caller;
}

/** Remembers who sends a request. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  (request.raw as Asking)[CALLER] = caller;
}

/** Who sends a request that has passed the guard; before that, somebody who may nothing. */
export function callerOf(request: FastifyRequest): Caller {
  return (request.raw as Asking)[CALLER] ?? NOBODY;
}

/** Gives a handler the caller. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
