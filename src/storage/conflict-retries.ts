import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../problem/database-errors.js';
import { conflictInProgress } from '../problem/storage-problems.js';
import { IdentifierUpdater } from './identifiers/identifier-updater.js';
import { Transactions } from './transactions.js';

/** Maximum time of all attempts. Their number is not limited, because a burst of mints can cause many failures within milliseconds. */
const RETRY_MS = 5000;

const LEAST_ATTEMPTS = 5;

/** Range of the pauses after the first attempts. Without pauses, a lasting conflict would occupy a connection and a processor for 5 s. */
const LEAST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 50;

/** Limits the attempts of a transaction that is repeated after conflicts. */
export class Attempts {
  private readonly until = performance.now() + RETRY_MS;
  private failed = 0;

  constructor(private readonly pause: (ms: number) => Promise<unknown> = wait) {}

  /** Counts a failed attempt, and pauses if at least `least` attempts have failed. @returns whether to try again. */
  async again(least = LEAST_ATTEMPTS): Promise<boolean> {
    this.failed += 1;
    if (this.failed < least) return true;
    if (performance.now() >= this.until) return false;
    await this.pause(LEAST_PAUSE_MS + Math.random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS));
    return true;
  }
}

/** Minimum number of attempts if each one records expiries. A batch of 10,000 needs up to 20 statements to find all expiries. */
const ATTEMPTS_AFTER_EXPIRIES = 50;

/** The work must be repeated, because identifiers or holders of names have changed since they were read. */
export class Stale extends Error {
  /**
   * @param expired expired reservations that still have requested names. Their expiry must be recorded first, in a separate transaction. In
   * the transaction that failed, which already has its number, an expiry could get a position before an earlier change of the reservation.
   * Another transaction that records the expiry could also wait for a change that waits for the failed transaction: a deadlock that
   * PostgreSQL cannot detect.
   */
  constructor(readonly expired: readonly bigint[] = []) {
    super('the identifiers or names of a change must be read again');
  }
}

/** Repeats work after a conflict that can end, and records the expiry of reservations that cause conflicts. */
@Injectable()
export class ConflictRetries {
  constructor(
    private readonly transactions: Transactions,
    private readonly updater: IdentifierUpdater,
  ) {}

  /**
   * Runs work, and repeats it after `Stale` or a unique violation, which means that another transaction has written one of the names.
   * @throws Problem CONFLICT_IN_PROGRESS when every attempt within 5 s failed with a conflict.
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

  /** Records expiries in a separate transaction. @param lockWaitMs the lock timeout, by default the timeout of the session. */
  async expire(ids: readonly bigint[], lockWaitMs?: number): Promise<void> {
    if (ids.length === 0) return;
    await this.transactions.run((transaction) => this.updater.expireLeases(transaction, ids), lockWaitMs);
  }
}
