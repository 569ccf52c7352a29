import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import type { RequestLimits } from '../config/config.js';
import { Metrics } from '../metrics/metrics.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { RecordModule } from '../record/record.module.js';
import { AccessGuard, type AccessRules } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { LimitsGuard } from './limits.guard.js';
import { MintBudget } from './mint-budget.js';

/** Who may do what, and how much of it. */
@Module({})
export class AccessModule {
  static with(rules: AccessRules, limits: RequestLimits): DynamicModule {
    const accessGuard = {
      provide: APP_GUARD,
      inject: [Reflector, Authenticator],
      useFactory: (reflector: Reflector, authenticator: Authenticator) =>
        new AccessGuard(reflector, authenticator, rules),
    };
    const limitsGuard = {
      provide: APP_GUARD,
      inject: [Reflector, Metrics],
      useFactory: (reflector: Reflector, metrics: Metrics) => new LimitsGuard(reflector, metrics, limits),
    };
    const mintBudget = {
      provide: MintBudget,
      inject: [Metrics, NamingAuthorities],
      useFactory: (metrics: Metrics, authorities: NamingAuthorities) =>
        new MintBudget(metrics, authorities, limits.perNamingAuthorityPerMinute),
    };
    return {
      module: AccessModule,
      global: true,
      imports: [RecordModule],
      // Guards run in this order: the limits are those of a caller that is known.
      providers: [Authenticator, accessGuard, limitsGuard, mintBudget],
      exports: [MintBudget],
    };
  }
}
