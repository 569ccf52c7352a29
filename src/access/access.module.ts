import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { RecordModule } from '../record/record.module.js';
import { AccessGuard, type AccessRules } from './access.guard.js';
import { Authenticator } from './authenticator.js';

/** Who may do what. */
@Module({})
export class AccessModule {
  static with(rules: AccessRules): DynamicModule {
    const guard = {
      provide: APP_GUARD,
      inject: [Reflector, Authenticator],
      useFactory: (reflector: Reflector, authenticator: Authenticator) =>
        new AccessGuard(reflector, authenticator, rules),
    };
    return { module: AccessModule, imports: [RecordModule], providers: [Authenticator, guard] };
  }
}
