import { GuidGenerator } from '../../registry/uuid.js';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChangingModule } from '../../changing/changing.module.js';
import type { FailureCounter } from '../../problem/log-failure.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { ReservationController } from './reservations.controller.js';
import { ReservationService } from './reservations.service.js';
import { ReservationSweep, SWEEP_FAILURES, SWEEP_INTERVAL_MS } from './sweep.js';

@Module({
  imports: [StorageWriteModule, ChangingModule],
  controllers: [ReservationController],
  providers: [GuidGenerator, ReservationService, ReservationSweep],
})
export class ReservationsModule {
  /**
   * @param intervalMs pause between two sweeps, in milliseconds.
   * @param failures counts the sweeps that fail because of the database.
   */
  static sweptEvery(intervalMs: number, failures: FailureCounter): DynamicModule {
    const providers = [
      { provide: SWEEP_INTERVAL_MS, useValue: intervalMs },
      { provide: SWEEP_FAILURES, useValue: failures },
    ];
    return { module: ReservationsModule, providers };
  }
}
