import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
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
      inject: [READ_CLIENT, NamingAuthorityCache, Metrics],
      useFactory: (prisma: ReadClient, authorities: NamingAuthorityCache, metrics: Metrics) =>
        new ResolverHandler(new HandleResolver(prisma.identifier, authorities), metrics, settings),
    };
    return { module: ResolverModule, imports: [StorageReadModule], providers: [handler], exports: [handler] };
  }
}
