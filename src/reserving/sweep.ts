import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { FailureCounter } from '../problem/log-failure.js';
import { ConflictRetries } from '../storage/conflict-retries.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';

/** Injects the pause between two sweeps in milliseconds. The token is a symbol, because a number has no class. */
export const SWEEP_INTERVAL_MS = Symbol('SWEEP_INTERVAL_MS');

export const SWEEP_FAILURES = Symbol('SWEEP_FAILURES');

/** Number of identifiers per transaction. The number is small, because the locks of a transaction delay other changes. */
const CHUNK = 100;

/** Records expired reservations. Reads check the end of a lease themselves, so the time of a sweep does not matter. */
@Injectable()
export class ReservationSweep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ReservationSweep.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SWEEP_INTERVAL_MS) private readonly intervalMs: number,
    @Inject(SWEEP_FAILURES) private readonly failures: FailureCounter,
    private readonly reader: IdentifierReader,
    private readonly retries: ConflictRetries,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.repeat(this.stopping.signal);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (await pause(this.intervalMs, true, { signal }).catch(() => false)) {
      try {
        await this.sweep(signal);
      } catch (error) {
        if (this.failures.failed(error, false)) continue;
        this.logger.warn(`expired reservations could not be recorded: ${String(error)}`);
      }
    }
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ids = await this.reader.findExpiredIds(CHUNK);
      if (ids.length === 0) return;
      await this.retries.expire(ids);
    }
  }
}
