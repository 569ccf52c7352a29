import { type DynamicModule, Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { ReservationController } from './reservation.controller.js';
import { ReservationService } from './reservation.service.js';
import { ReservationSweep, SWEEP_INTERVAL_MS } from './sweep.js';

/** Identifiers that are held until a day, many at once. */
@Module({
  imports: [RecordModule],
  controllers: [ReservationController],
  providers: [ReservationService, ReservationSweep],
})
export class ReservationsModule {
  /** @param intervalMs how long the job rests that writes down which reservations have ended, in milliseconds. */
  static sweptEvery(intervalMs: number): DynamicModule {
    return { module: ReservationsModule, providers: [{ provide: SWEEP_INTERVAL_MS, useValue: intervalMs }] };
  }
}
