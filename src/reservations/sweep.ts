import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { IdentifierChanges } from '../record/identifier-changes.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import { Transactions } from '../record/transactions.js';

/** How long the sweep rests, in milliseconds: an injection token, because a number has no class. */
export const SWEEP_INTERVAL_MS = Symbol('SWEEP_INTERVAL_MS');

/** Reservations that are written down in one transaction. */
const CHUNK = 500;

/**
 * Writes down which reservations have ended. Reads honour the end of a lease by themselves, so nothing depends on when
 * this runs, or on how many replicas do it: a transaction that comes second finds nothing left to write.
 */
@Injectable()
export class ReservationSweep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ReservationSweep.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SWEEP_INTERVAL_MS) private readonly intervalMs: number,
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierChanges,
    private readonly transactions: Transactions,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.repeat(this.stopping.signal);
  }

  /** Returns when nothing of it uses the database any more. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (await rested(this.intervalMs, signal)) {
      try {
        await this.sweep(signal);
      } catch (error) {
        this.logger.warn(`the ends of reservations could not be written down: ${String(error)}`);
      }
    }
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ids = await this.reader.findLapsedIds(CHUNK);
      if (ids.length === 0) return;
      await this.transactions.run((transaction) => this.changes.lapse(transaction, ids));
    }
  }
}

/** @returns false when it is time to stop. */
async function rested(intervalMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(intervalMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
