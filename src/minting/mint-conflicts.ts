import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { isLockTimeout } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import { shownConflict } from '../registry/conflict-problem.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { type Conflicts, expiredIn } from '../storage/identifiers/conflicts.js';
import { requireSequence } from '../storage/changes/position-offset.js';
import { IdentifierUpdater } from '../storage/identifiers/identifier-updater.js';
import { type LockWait, type Queryable, Transactions, lockWaitMs } from '../storage/transactions.js';
import { WRITE_CLIENT, type WriteClient } from '../storage/write-client.js';
import { MAX_ATTEMPTS } from './build-candidates.js';
import type { Candidate, DecidedMint, Decisions, MintResult } from './mint-outcome.js';
import { MintReplays } from './mint-replays.js';
import { resolveConflicts } from './resolve-conflicts.js';

/** Milliseconds between attempts to expire a locked lease on the hot pool, whose connections are few. */
const LOCKED_PAUSES_MS = [20, 40, 80, 160, 320, 640, 1280];

export type OnExpired = (ids: readonly bigint[]) => never;

interface Conflicting {
  readonly candidate: Candidate;
  readonly conflicts: Conflicts;
}

/** Explains why identifiers were not inserted. */
@Injectable()
export class MintConflicts {
  constructor(
    @Inject(WRITE_CLIENT) private readonly prisma: WriteClient,
    private readonly updater: IdentifierUpdater,
    private readonly transactions: Transactions,
    private readonly replays: MintReplays,
  ) {}

  /**
   * Finds and resolves the conflicts of mints, and stores the results that no row of an identifier has. Candidates
   * without a conflict, or whose conflict is gone, are undecided; expired reservations in their way are recorded.
   * @param lockWait how long an expired reservation may be locked.
   * @param onExpired for a transaction that holds locks of changes, which the transaction that records an expiry could wait
   * for: gets the reservations and throws, so that the caller records their expiry and repeats its transaction.
   */
  async explain(
    candidates: readonly Candidate[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
    onExpired: OnExpired | null = null,
  ): Promise<Decisions> {
    const conflicting = await this.find(candidates, transaction);
    if (candidates.some(({ attempt }) => attempt === MAX_ATTEMPTS)) {
      await (transaction === undefined ? this.transactions.run(requireSequence) : requireSequence(transaction));
    }
    const stored = await this.storedResults(conflicting, transaction);
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const expired: bigint[] = [];
    const toStore = new Map<DecidedMint, Candidate>();
    for (const { candidate, conflicts } of conflicting) {
      const { job, item } = candidate;
      const replay = shownConflict(stored.get(candidate), job.known);
      const result = replay ?? resolveConflicts(conflicts, job.command, item.request, job.known);
      if (result === null) {
        undecided.push(candidate);
        expired.push(...expiredIn(conflicts).map(({ id }) => id));
      } else if (replay === undefined && this.replays.mustStore({ job, result }))
        toStore.set({ job, result }, candidate);
      else decided.push({ job, result });
    }
    if (expired.length > 0) onExpired?.(expired);
    if (expired.length > 0) await this.expireLeases(expired, transaction !== undefined, lockWait);
    const valid = await this.replays.store([...toStore.keys()]);
    // What is stored now waits by its own commit, and a transaction by that of the caller.
    if (transaction === undefined && valid.size === 0 && mustWait(conflicting, decided))
      await this.transactions.waitForStandby();
    for (const [decision, candidate] of toStore) {
      if (valid.has(decision)) decided.push(decision);
      else undecided.push(candidate);
    }
    return { decided, undecided };
  }

  private async find(candidates: readonly Candidate[], from: Queryable | undefined): Promise<Conflicting[]> {
    const items: readonly NewIdentifier[] = candidates.map(({ item }) => item);
    const found = await this.prisma.identifier.findConflicts(items, from);
    return candidates.flatMap((candidate, index) => {
      const conflicts = found[index];
      return conflicts === undefined ? [] : [{ candidate, conflicts }];
    });
  }

  /**
   * Releases the values of expired reservations, in a separate transaction: in that of a caller, which has its number
   * already, the expiry could have a position before an earlier change of the same identifier.
   */
  private async expireLeases(ids: readonly bigint[], hasTransaction: boolean, lockWait: LockWait): Promise<void> {
    const expire = (transaction: Queryable): Promise<number> => this.updater.expireLeases(transaction, ids);
    if (!hasTransaction) {
      await this.transactions.run(expire, lockWaitMs(lockWait));
      return;
    }
    for (const pauseMs of LOCKED_PAUSES_MS) {
      try {
        await this.transactions.runOnHotPool(expire);
        return;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        await pause(pauseMs);
      }
    }
    await this.transactions.runOnHotPool(expire);
  }

  /** The stored results of those that are repeats of the same request. */
  private async storedResults(
    conflicting: readonly Conflicting[],
    from: Queryable | undefined,
  ): Promise<ReadonlyMap<Candidate, MintResult>> {
    const repeats = new Map<Candidate, string>();
    for (const { candidate, conflicts } of conflicting) {
      const stored = conflicts.storedResult;
      if (stored !== null && stored.hash === candidate.item.request?.fingerprint) repeats.set(candidate, stored.text);
    }
    return this.replays.readAll(repeats, from);
  }
}

/** Whether a result was made of rows that a synchronous standby may not have; "in flight" is no result. */
function mustWait(conflicting: readonly Conflicting[], decided: readonly DecidedMint[]): boolean {
  if (!conflicting.some(({ conflicts }) => conflicts.hasStandby)) return false;
  return decided.some(({ result }) => !(result instanceof Problem && result.code === 'REQUEST_IN_FLIGHT'));
}
