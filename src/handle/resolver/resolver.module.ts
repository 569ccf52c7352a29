import { type DynamicModule, Module } from '@nestjs/common';
import { FindingModule } from '../../finding/finding.module.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { HandleResolver } from './handle-resolver.js';
import { ResolverHandler, ResolverSettings } from './resolver.handler.js';

@Module({ imports: [StorageReadModule, FindingModule], exports: [ResolverHandler] })
export class ResolverModule {
  static with(settings: ResolverSettings): DynamicModule {
    const providers = [HandleResolver, ResolverHandler, { provide: ResolverSettings, useValue: settings }];
    return { module: ResolverModule, providers };
  }
}
