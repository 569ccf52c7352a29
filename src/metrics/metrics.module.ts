import { type DynamicModule, Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Gives every feature `Metrics` to count with. */
@Module({})
export class MetricsModule {
  /** @param ownPort whether another port serves the metrics, so that this one does not. */
  static of(metrics: Metrics, ownPort: boolean): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      controllers: ownPort ? [] : [MetricsController],
      providers: [{ provide: Metrics, useValue: metrics }],
      exports: [Metrics],
    };
  }
}
