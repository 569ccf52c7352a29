import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { CachedResolution } from '../storage/identifiers/cache/cached-resolution.js';
import { HistoryReads } from '../storage/replica/history-reads.js';
import { LookupReads } from '../storage/replica/lookup-reads.js';
import { NamingAuthorityReads } from '../storage/replica/naming-authority-reads.js';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { HandleResolver } from './handle-resolver.js';
import { ResolverHandler, type ResolverSettings } from './resolver.handler.js';

@Module({})
export class ResolverModule {
  static with(settings: ResolverSettings): DynamicModule {
    const handler = {
      provide: ResolverHandler,
      inject: [CachedResolution, LookupReads, NamingAuthorityReads, HistoryReads, Metrics],
      useFactory: (
        records: CachedResolution,
        lookups: LookupReads,
        authorities: NamingAuthorityReads,
        histories: HistoryReads,
        metrics: Metrics,
      ) =>
        new ResolverHandler(new HandleResolver(records, lookups, authorities), records, histories, metrics, settings),
    };
    return { module: ResolverModule, imports: [StorageReadModule], providers: [handler], exports: [handler] };
  }
}
