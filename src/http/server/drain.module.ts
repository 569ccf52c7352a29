import { type DynamicModule, Module } from '@nestjs/common';
import { Drain } from './drain.js';

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
