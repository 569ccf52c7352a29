import { type DynamicModule, Module } from '@nestjs/common';
import type { RequestLimits } from '../config/config.js';
import type { Metrics } from '../metrics/metrics.js';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { AccessGuard, type AccessRules } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { FailedAuthentications } from './failed-authentications.js';
import { KeyCache } from './key-cache.js';
import { KeyReads, KeyValidity } from './key-reads.js';
import { LargeBodies } from './limits/large-bodies.js';
import { LimitsGuard } from './limits/limits.guard.js';
import { MintBudget } from './limits/mint-budget.js';
import { Places, ShortPlaces } from './limits/places.js';

/** Maximum number of concurrent costly reads of all clients; each read keeps a page of records in memory. */
const READ_PLACES = 24;
const READ_SHARE = 4;

/** Places for lists and the event feed. Hundreds of long polls of one client may begin or wake at once. */
const SHORT_PLACES = 8;
const MAX_WAITING_SHORT = 512;

@Module({})
export class AccessModule {
  static with(rules: AccessRules, limits: RequestLimits, metrics: Metrics): DynamicModule {
    const failures = new FailedAuthentications(metrics, limits.unauthenticatedPerMinute);
    const large = new LargeBodies(metrics, limits.largestBody);
    const accessGuard = {
      provide: AccessGuard,
      inject: [Authenticator],
      useFactory: (authenticator: Authenticator) => new AccessGuard(authenticator, rules, failures),
    };
    return {
      module: AccessModule,
      global: true,
      imports: [StorageReadModule],
      providers: [
        ...[Authenticator, KeyCache, KeyReads, KeyValidity, accessGuard],
        { provide: LargeBodies, useValue: large },
        { provide: LimitsGuard, useValue: new LimitsGuard(metrics, large, limits) },
        { provide: MintBudget, useValue: new MintBudget(metrics, limits.perNamingAuthorityPerMinute) },
        { provide: Places, useValue: new Places(READ_PLACES, READ_SHARE) },
        { provide: ShortPlaces, useValue: new ShortPlaces(SHORT_PLACES, READ_SHARE, MAX_WAITING_SHORT) },
      ],
      exports: [AccessGuard, KeyReads, KeyValidity, LargeBodies, LimitsGuard, MintBudget, Places, ShortPlaces],
    };
  }
}
