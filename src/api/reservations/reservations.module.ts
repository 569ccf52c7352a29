import { GuidGenerator } from '../../registry/uuid.js';
import { type DynamicModule, Module } from '@nestjs/common';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { ReservationController } from './reservations.controller.js';
import { ReservationService } from './reservations.service.js';
import { ReservationSweep, SWEEP_INTERVAL_MS } from './sweep.js';

@Module({
  imports: [StorageWriteModule],
  controllers: [ReservationController],
  providers: [GuidGenerator, ReservationService, ReservationSweep],
})
export class ReservationsModule {
  /** @param intervalMs pause between two sweeps, in milliseconds. */
  static sweptEvery(intervalMs: number): DynamicModule {
    return { module: ReservationsModule, providers: [{ provide: SWEEP_INTERVAL_MS, useValue: intervalMs }] };
  }
}
