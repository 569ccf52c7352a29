import { type DynamicModule, Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from '../../metrics/metrics.js';

@Module({})
export class MetricsModule {
  /** @param ownPort whether a separate port serves the metrics. */
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
