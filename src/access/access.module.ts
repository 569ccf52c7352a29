import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';

/** Who may do what. */
@Module({})
export class AccessModule {
  /** @param adminApiKey null where access is open. */
  static withKey(adminApiKey: string | null): DynamicModule {
    const guard = {
      provide: APP_GUARD,
      inject: [Reflector],
      useFactory: (reflector: Reflector) => new AccessGuard(reflector, adminApiKey),
    };
    return { module: AccessModule, providers: [guard] };
  }
}
