import { type DynamicModule, Module } from '@nestjs/common';
import type { Resolver } from '../identifier/index.js';

/** The resolver whose HTTP URIs are rendered and understood: an injection token, because a `Resolver` has no class. */
export const RESOLVER = Symbol('RESOLVER');

/** Gives every feature the configured resolver (URI-36). */
@Module({})
export class RenderingModule {
  static with(resolver: Resolver): DynamicModule {
    const provider = { provide: RESOLVER, useValue: resolver };
    return { module: RenderingModule, global: true, providers: [provider], exports: [provider] };
  }
}
