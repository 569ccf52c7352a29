import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../problem/database-errors.js';
import { conflictInProgress } from '../problem/storage-problems.js';
import { IdentifierUpdater } from './identifiers/identifier-updater.js';
import { Transactions } from './transactions.js';

/** Each attempt that meets another conflict takes milliseconds, so a number alone would give up during a burst of mints. */
const RETRY_MS = 5000;

const LEAST_ATTEMPTS = 5;

/** The pauses after the first attempts. A conflict that stays would otherwise occupy a connection and a processor for 5 s. */
const LEAST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 50;

/** The attempts of a transaction after conflicts that were resolved meanwhile. */
export class Attempts {
  private readonly until = performance.now() + RETRY_MS;
  private failed = 0;

  /** @param pause waits for a number of milliseconds. */
  constructor(private readonly pause: (ms: number) => Promise<unknown> = wait) {}

  /**
   * Counts a failed attempt, and pauses for 10 to 50 ms before the attempts that are made after the least number of them.
   * @param least the number of attempts that are made in any case, without a pause.
   * @returns whether the transaction is attempted again: until 5 s have passed since the first attempt began.
   */
  async again(least = LEAST_ATTEMPTS): Promise<boolean> {
    this.failed += 1;
    if (this.failed < least) return true;
    if (performance.now() >= this.until) return false;
    await this.pause(LEAST_PAUSE_MS + Math.random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS));
    return true;
  }
}

/** Attempts in any case when each has recorded expiries: a batch of 10,000 finds them in up to 20 of its statements. */
const ATTEMPTS_AFTER_EXPIRIES = 50;

/** The work must be repeated, because identifiers or the holders of names have changed since they were read. */
export class Stale extends Error {
  /**
   * @param expired reservations that still have requested names; their expiry must be recorded first, in a transaction of its own. One
   * that recorded it meanwhile could wait for a change that waits for this transaction, which PostgreSQL cannot detect; and in this
   * transaction, which has its number already, the expiry could have a position before an earlier change of the same identifier.
   */
  constructor(readonly expired: readonly bigint[] = []) {
    super('the identifiers or names of a change must be read again');
  }
}

/** Repeats work that met a conflict which can end, and records the expiries of reservations that are in its way. */
@Injectable()
export class ConflictRetries {
  constructor(
    private readonly transactions: Transactions,
    private readonly updater: IdentifierUpdater,
  ) {}

  /**
   * Runs work until the names that it writes are free, or their holders are known: a unique violation means that another
   * transaction has got one of them meanwhile. An expired reservation releases its names when its expiry is recorded.
   * @throws Problem CONFLICT_IN_PROGRESS when every attempt of 5 s has another conflict.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const attempts = new Attempts();
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Stale) && !isUniqueViolation(error)) throw error;
        const expired = error instanceof Stale ? error.expired : [];
        if (!(await attempts.again(expired.length > 0 ? ATTEMPTS_AFTER_EXPIRIES : undefined)))
          throw conflictInProgress();
        await this.expire(expired);
      }
    }
  }

  /**
   * Records the expiries of reservations in a transaction of their own.
   * @param lockWaitMs the lock timeout; by default that of the session.
   */
  async expire(ids: readonly bigint[], lockWaitMs?: number): Promise<void> {
    if (ids.length === 0) return;
    await this.transactions.run((transaction) => this.updater.expireLeases(transaction, ids), lockWaitMs);
  }
}
