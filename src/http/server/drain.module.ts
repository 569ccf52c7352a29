import { type DynamicModule, Module } from '@nestjs/common';
import { Drain } from './drain.js';

/** Provides the drain to features with waiting requests. */
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
