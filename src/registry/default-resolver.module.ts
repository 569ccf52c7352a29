import { type DynamicModule, Module } from '@nestjs/common';
import type { Resolver } from '../identifier/index.js';

export const DEFAULT_HTTP_RESOLVER = Symbol('RESOLVER');

/** The injection token of whether the operator has named this resolver. */
export const IS_RESOLVER_SET = Symbol('IS_RESOLVER_SET');

/** The injection token of the URL of who blocks what is withdrawn for a legal reason; null for none. */
export const BLOCKED_BY_URL = Symbol('BLOCKED_BY_URL');

@Module({})
export class DefaultResolverModule {
  static with(resolver: Resolver, isSet: boolean, blockedByUrl: string | null): DynamicModule {
    const providers = [
      { provide: DEFAULT_HTTP_RESOLVER, useValue: resolver },
      { provide: IS_RESOLVER_SET, useValue: isSet },
      { provide: BLOCKED_BY_URL, useValue: blockedByUrl },
    ];
    return { module: DefaultResolverModule, global: true, providers, exports: providers };
  }
}
