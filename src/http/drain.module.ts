import { type DynamicModule, Module } from '@nestjs/common';
import { Drain } from './drain.js';

/** Lets whoever keeps a request waiting know that the service stops. */
@Module({})
export class DrainModule {
  static with(drain: Drain): DynamicModule {
    return {
      module: DrainModule,
      global: true,
      providers: [{ provide: Drain, useValue: drain }],
      exports: [Drain],
    };
  }
}
