import { type DynamicModule, Module } from '@nestjs/common';
import type { Resolver } from '../identifier/index.js';

export const DEFAULT_HTTP_RESOLVER = Symbol('RESOLVER');

@Module({})
export class DefaultResolverModule {
  static with(resolver: Resolver): DynamicModule {
    const provider = { provide: DEFAULT_HTTP_RESOLVER, useValue: resolver };
    return { module: DefaultResolverModule, global: true, providers: [provider], exports: [provider] };
  }
}
