import { type DynamicModule, Module } from '@nestjs/common';
import type { RequestLimits } from '../config/config.js';
import { Metrics } from '../metrics/metrics.js';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { AccessGuard, type AccessRules } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { FailedAuthentications } from './failed-authentications.js';
import { KeyCache } from './key-cache.js';
import { KeyReads, KeyValidity } from './key-reads.js';
import { LargeBodies } from './limits/large-bodies.js';
import { LimitsGuard } from './limits/limits.guard.js';
import { MintBudget } from './limits/mint-budget.js';
import { Places } from './limits/places.js';

/** Maximum number of concurrent costly reads of all clients; each read keeps a page of records in memory. */
const READ_PLACES = 24;
const READ_SHARE = 4;

@Module({})
export class AccessModule {
  static with(rules: AccessRules, limits: RequestLimits): DynamicModule {
    const accessGuard = {
      provide: AccessGuard,
      inject: [Authenticator, Metrics],
      useFactory: (authenticator: Authenticator, metrics: Metrics) =>
        new AccessGuard(authenticator, rules, new FailedAuthentications(metrics, limits.unauthenticatedPerMinute)),
    };
    const largeBodies = {
      provide: LargeBodies,
      inject: [Metrics],
      useFactory: (metrics: Metrics) => new LargeBodies(metrics, limits.largePerAddress, limits.largestBody),
    };
    const limitsGuard = {
      provide: LimitsGuard,
      inject: [Metrics, LargeBodies],
      useFactory: (metrics: Metrics, large: LargeBodies) => new LimitsGuard(metrics, large, limits),
    };
    const mintBudget = {
      provide: MintBudget,
      inject: [Metrics],
      useFactory: (metrics: Metrics) => new MintBudget(metrics, limits.perNamingAuthorityPerMinute),
    };
    return {
      module: AccessModule,
      global: true,
      imports: [StorageReadModule],
      providers: [
        ...[Authenticator, KeyCache, KeyReads, KeyValidity, accessGuard, largeBodies, limitsGuard, mintBudget],
        { provide: Places, useFactory: () => new Places(READ_PLACES, READ_SHARE) },
      ],
      exports: [AccessGuard, KeyReads, KeyValidity, LargeBodies, LimitsGuard, MintBudget, Places],
    };
  }
}
