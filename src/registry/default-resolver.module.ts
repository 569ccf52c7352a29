import { type DynamicModule, Module } from '@nestjs/common';
import type { Resolver } from '../identifier/index.js';

export const DEFAULT_HTTP_RESOLVER = Symbol('RESOLVER');

/** The injection token of whether the operator has named this resolver. */
export const IS_RESOLVER_SET = Symbol('IS_RESOLVER_SET');

@Module({})
export class DefaultResolverModule {
  static with(resolver: Resolver, isSet: boolean): DynamicModule {
    const providers = [
      { provide: DEFAULT_HTTP_RESOLVER, useValue: resolver },
      { provide: IS_RESOLVER_SET, useValue: isSet },
    ];
    return { module: DefaultResolverModule, global: true, providers, exports: providers };
  }
}
