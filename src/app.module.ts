import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { ApiModule, OperationsModule } from './api/api.module.js';
import type { Config } from './config/config.js';
import { DatabaseModule } from './database/database.module.js';
import type { Pools } from './database/pool.js';
import type { Replica } from './database/replica/replica.js';
import { HandleApiModule } from './handle/api/handle-api.js';
import { Drain } from './http/server/drain.js';
import { Cursors } from './http/cursor.js';
import { Metrics } from './metrics/metrics.js';
import type { FailureCounter } from './problem/log-failure.js';
import { BLOCKED_BY_URL, DEFAULT_HTTP_RESOLVER, IS_RESOLVER_SET } from './registry/setting-tokens.js';
import { ResolverModule } from './handle/resolver/resolver.module.js';
import { recordCacheWithin } from './storage/identifiers/cache/record-cache.js';
import { StorageWriteModule } from './storage/storage-write.module.js';

/** Combines the modules of the interfaces that are on with the modules that all of them use. */
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
    const { interfaces, resolver, isResolverSet, upstream, blockedByUrl, publicRead, openAccessHosts } = config;
    const { browserSeconds, sharedSeconds } = config.redirectAges;
    const isClosed = !publicRead && openAccessHosts === null;
    const redirectAges = { browserSeconds, sharedSeconds: isClosed ? null : sharedSeconds };
    const api = {
      hasResolver: interfaces.has('resolver'),
      sweepIntervalMs: config.reservationSweepIntervalMs,
      sweepFailures: failures,
    };
    const providers = [
      Cursors,
      { provide: Drain, useValue: drain },
      { provide: Metrics, useValue: metrics },
      { provide: DEFAULT_HTTP_RESOLVER, useValue: resolver },
      { provide: IS_RESOLVER_SET, useValue: isResolverSet },
      { provide: BLOCKED_BY_URL, useValue: blockedByUrl },
      recordCacheWithin(config.recordCache),
    ];
    return {
      module: AppModule,
      global: true,
      providers,
      exports: providers,
      imports: [
        DatabaseModule.over(pools, replica),
        AccessModule.with(config, config.limits, metrics),
        StorageWriteModule,
        ...(interfaces.has('api') ? [ApiModule.with(api)] : []),
        OperationsModule.with(!isClosed, config.metricsPort !== null),
        ...(interfaces.has('resolver')
          ? [ResolverModule.with({ resolver, isResolverSet, upstream, redirectAges, blockedByUrl })]
          : []),
        ...(interfaces.has('handles') ? [HandleApiModule] : []),
      ],
    };
  }
}
