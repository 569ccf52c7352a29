import { Injectable } from '@nestjs/common';
import { conflictInProgress, isUniqueViolation } from '../problem/database-errors.js';
import { Attempts } from './attempts.js';
import { IdentifierUpdater } from './identifiers/identifier-updater.js';
import { Transactions } from './transactions.js';

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
