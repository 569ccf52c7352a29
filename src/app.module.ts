import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import type { Config } from './config/config.js';
import { ChangesModule } from './api/changes/changes.module.js';
import { CurationModule } from './api/curation/curation.module.js';
import type { Pools } from './database/pool.js';
import { DatabaseModule } from './database/database.module.js';
import type { Replica } from './database/replica/replica.js';
import { ApiKeysModule } from './api/api-keys/api-keys.module.js';
import { DocumentationModule } from './api/documentation/documentation.module.js';
import { EventsModule } from './api/events/events.module.js';
import { HealthModule } from './api/health/health.module.js';
import type { Drain } from './http/server/drain.js';
import { DrainModule } from './http/server/drain.module.js';
import { CursorsModule } from './http/validation/cursor.module.js';
import { LookupModule } from './api/lookup/lookup.module.js';
import type { Metrics } from './metrics/metrics.js';
import { MetricsModule } from './api/metrics/metrics.module.js';
import { MintingModule } from './api/minting/minting.module.js';
import { NamingAuthoritiesModule } from './api/naming-authorities/naming-authorities.module.js';
import { NormalizationModule } from './api/normalization/normalization.module.js';
import { HandleApiModule } from './handle-api/handle-api.module.js';
import { DefaultResolverModule } from './registry/default-resolver.module.js';
import { ImportExportModule } from './api/import-export/import-export.module.js';
import { RecordCacheModule } from './storage/identifiers/cache/record-cache.module.js';
import type { FailureCounter } from './problem/log-failure.js';
import { ReservationsModule } from './api/reservations/reservations.module.js';
import { ResolverModule } from './resolver/resolver.module.js';
import { SiteModule } from './api/site/site.module.js';
import { StorageWriteModule } from './storage/storage-write.module.js';

/** The resources of the REST API. Health checks and metrics are served with every selection of faces. */
const API = [
  ...[MintingModule, LookupModule, CurationModule, ImportExportModule, NamingAuthoritiesModule, EventsModule],
  ...[NormalizationModule, ApiKeysModule, ChangesModule],
];

@Module({})
export class AppModule {
  static of(
    config: Config,
    pools: Pools,
    replica: Replica | null,
    metrics: Metrics,
    drain: Drain,
    failures: FailureCounter,
  ): DynamicModule {
    const { faces, resolver, isResolverSet, upstream, blockedByUrl, publicRead, openAccessHosts } = config;
    const { browserSeconds, sharedSeconds } = config.redirectAges;
    const isClosed = !publicRead && openAccessHosts === null;
    const redirectAges = { browserSeconds, sharedSeconds: isClosed ? null : sharedSeconds };
    return {
      module: AppModule,
      imports: [
        DatabaseModule.over(pools, replica),
        DrainModule.with(drain),
        DefaultResolverModule.with(resolver, isResolverSet, blockedByUrl),
        AccessModule.with(config, config.limits),
        RecordCacheModule.within(config.recordCache),
        MetricsModule.of(metrics, config.metricsPort !== null),
        ...(faces.has('api')
          ? [ReservationsModule.sweptEvery(config.reservationSweepIntervalMs, failures), ...API]
          : []),
        SiteModule.with(!isClosed),
        ...[HealthModule, StorageWriteModule, CursorsModule],
        ...(faces.has('api') ? [DocumentationModule.with(faces.has('resolver'))] : []),
        ...(faces.has('resolver')
          ? [ResolverModule.with({ resolver, isResolverSet, upstream, redirectAges, blockedByUrl })]
          : []),
        ...(faces.has('handles') ? [HandleApiModule.with(openAccessHosts === null)] : []),
      ],
    };
  }
}
