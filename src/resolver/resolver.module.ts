import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { ChangeReader } from '../storage/changes/change-reader.js';
import { CachedResolution } from '../storage/identifiers/cache/cached-resolution.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { READ_CLIENT, type ReadClient } from '../storage/read-client.js';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { HandleResolver } from './handle-resolver.js';
import { ResolverHandler, type ResolverSettings } from './resolver.handler.js';

@Module({})
export class ResolverModule {
  static with(settings: ResolverSettings): DynamicModule {
    const handler = {
      provide: ResolverHandler,
      inject: [CachedResolution, READ_CLIENT, NamingAuthorityCache, ChangeReader, Metrics],
      useFactory: (
        records: CachedResolution,
        prisma: ReadClient,
        authorities: NamingAuthorityCache,
        changes: ChangeReader,
        metrics: Metrics,
      ) =>
        new ResolverHandler(
          new HandleResolver(records, prisma.identifier, authorities),
          records,
          changes,
          metrics,
          settings,
        ),
    };
    return { module: ResolverModule, imports: [StorageReadModule], providers: [handler], exports: [handler] };
  }
}
