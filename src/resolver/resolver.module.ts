import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { ChangeReader } from '../storage/changes/change-reader.js';
import { CachedResolution } from '../storage/identifiers/cache/cached-resolution.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { LookupReads } from '../storage/replica/lookup-reads.js';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { HandleResolver } from './handle-resolver.js';
import { ResolverHandler, type ResolverSettings } from './resolver.handler.js';

@Module({})
export class ResolverModule {
  static with(settings: ResolverSettings): DynamicModule {
    const handler = {
      provide: ResolverHandler,
      inject: [CachedResolution, LookupReads, NamingAuthorityCache, ChangeReader, Metrics],
      useFactory: (
        records: CachedResolution,
        lookups: LookupReads,
        authorities: NamingAuthorityCache,
        changes: ChangeReader,
        metrics: Metrics,
      ) => new ResolverHandler(new HandleResolver(records, lookups, authorities), records, changes, metrics, settings),
    };
    return { module: ResolverModule, imports: [StorageReadModule], providers: [handler], exports: [handler] };
  }
}
