import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import type { Config } from './config/config.js';
import { CurationModule } from './curation/curation.module.js';
import type { Pools } from './database/pool.js';
import { DatabaseModule } from './database/database.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { EventsModule } from './events/events.module.js';
import { HealthModule } from './health/health.module.js';
import type { Drain } from './http/drain.js';
import { DrainModule } from './http/drain.module.js';
import { LookupModule } from './lookup/lookup.module.js';
import type { Metrics } from './metrics/metrics.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { MintingModule } from './minting/minting.module.js';
import { NamingAuthoritiesModule } from './naming-authorities/naming-authorities.module.js';
import { NormalizationModule } from './normalization/normalization.module.js';
import { RenderingModule } from './record/rendering.module.js';
import { TransferModule } from './transfer/transfer.module.js';
import { ReservationsModule } from './reservations/reservations.module.js';

/** The table of contents. */
@Module({
  imports: [
    ...[MintingModule, LookupModule, CurationModule, TransferModule, NamingAuthoritiesModule, EventsModule],
    ...[NormalizationModule, ApiKeysModule, HealthModule, DocumentationModule],
  ],
})
export class AppModule {
  static of(config: Config, pools: Pools, metrics: Metrics, drain: Drain): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.over(pools),
        DrainModule.with(drain),
        RenderingModule.with(config.resolver),
        AccessModule.with({ adminApiKey: config.adminApiKey, publicRead: config.publicRead }, config.limits),
        MetricsModule.of(metrics, config.metricsPort !== null),
        ReservationsModule.sweptEvery(config.reservationSweepIntervalMs),
      ],
    };
  }
}
