import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '../problem/problem.js';
import type { IgnorableValues } from '../registry/ignored-members.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { ChangeReader } from '../storage/changes/change-reader.js';
import { type Conflicts, expiredIn } from '../storage/identifiers/conflicts.js';
import { requireSequence } from '../storage/changes/position-offset.js';
import { IdentifierUpdater } from '../storage/identifiers/identifier-updater.js';
import { type LockWait, type Queryable, Transactions, lockWaitMs } from '../storage/transactions.js';
import { WRITE_CLIENT, type WriteClient } from '../storage/write-client.js';
import { MAX_ATTEMPTS } from './build-candidates.js';
import { RecordBudget } from './found-records.js';
import type { Candidate, DecidedMint, Decisions, MintResult } from './mint-outcome.js';
import { MintReplays } from './mint-replays.js';
import { needsValuesAsMinted, resolveConflicts } from './resolve-conflicts.js';

interface Conflicting {
  readonly candidate: Candidate;
  readonly conflicts: Conflicts;
  /** The values with which the identifier with the metadata ID was minted, where they matter. */
  readonly asMinted: IgnorableValues | undefined;
}

/** A transaction in which mints conflict with expired reservations; the caller records the expiries and repeats it. */
export interface MintTransaction {
  readonly transaction: Queryable;
  /**
   * Ends the transaction. Another one that recorded an expiry meanwhile could wait for a change that waits for this transaction, which
   * PostgreSQL cannot detect. In this transaction, which has its number already, the expiry could have a position before an earlier
   * change of the same identifier.
   */
  readonly onExpired: (ids: readonly bigint[]) => never;
}

/** Explains why identifiers were not inserted. */
@Injectable()
export class MintConflicts {
  constructor(
    @Inject(WRITE_CLIENT) private readonly prisma: WriteClient,
    private readonly updater: IdentifierUpdater,
    private readonly transactions: Transactions,
    private readonly replays: MintReplays,
    private readonly changes: ChangeReader,
  ) {}

  /**
   * Finds and resolves the conflicts of mints, and stores the results that no row of an identifier has. Candidates
   * without a conflict, or whose conflict is gone, are undecided; expired reservations in their way are recorded.
   * @param within the transaction of the caller, if there is one.
   * @param lockWait how long an expired reservation may be locked.
   */
  async explain(
    candidates: readonly Candidate[],
    within: MintTransaction | undefined,
    lockWait: LockWait,
  ): Promise<Decisions> {
    const budget = new RecordBudget();
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const expired: bigint[] = [];
    let size = candidates.length;
    for (let done = 0; done < candidates.length; done = decided.length + undecided.length) {
      const open = candidates.slice(done, done + size);
      const first = await this.explainFirst(open, within, lockWait, expired);
      const explained = first.decided.length + first.undecided.length;
      // The statement measures the records of all of them.
      size = explained === open.length ? size * 4 : 2 * explained;
      decided.push(...first.decided.map(({ job, result }) => ({ job, result: budget.reduce(result) })));
      undecided.push(...first.undecided);
    }
    if (expired.length > 0) within?.onExpired(expired);
    return { decided, undecided };
  }

  /**
   * Explains the first candidates, at least one: all of them, unless the records of their conflicts are large.
   * @param ended collects the expired reservations that conflict with a transaction, so that it is repeated once for all of them.
   */
  private async explainFirst(
    candidates: readonly Candidate[],
    within: MintTransaction | undefined,
    lockWait: LockWait,
    ended: bigint[],
  ): Promise<Decisions> {
    const transaction = within?.transaction;
    const conflicting = await this.find(candidates, transaction);
    if (candidates.some(({ attempt }) => attempt === MAX_ATTEMPTS)) {
      await (transaction === undefined ? this.transactions.run(requireSequence) : requireSequence(transaction));
    }
    const stored = await this.storedResults(conflicting, transaction);
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const expired: bigint[] = [];
    const toStore = new Map<DecidedMint, Candidate>();
    for (const { candidate, conflicts, asMinted } of conflicting) {
      const { job, item } = candidate;
      const replay = stored.get(candidate);
      const result = replay ?? resolveConflicts(conflicts, job.command, item.request, job.reader, asMinted);
      if (result === null) {
        undecided.push(candidate);
        expired.push(...expiredIn(conflicts).map(({ id }) => id));
      } else if (replay === undefined && this.replays.mustStore({ job, result }))
        toStore.set({ job, result }, candidate);
      else decided.push({ job, result });
    }
    if (within !== undefined) ended.push(...expired);
    else if (expired.length > 0)
      await this.transactions.run((on) => this.updater.expireLeases(on, expired), lockWaitMs(lockWait));
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
    const changed = candidates.flatMap(({ job }, index) => {
      const existing = found[index]?.metadata ?? null;
      return needsValuesAsMinted(job.command, existing) ? [existing.id] : [];
    });
    const asMinted = await this.changes.valuesAsMinted(changed, from);
    return candidates.flatMap((candidate, index) => {
      const conflicts = found[index];
      if (conflicts === undefined) return [];
      return [{ candidate, conflicts, asMinted: asMinted.get(conflicts.metadata?.id ?? 0n) }];
    });
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
    return this.replays.shown(await this.replays.readAll(repeats, from), ({ job }) => job, from);
  }
}

/** Whether a result was made of rows that a synchronous standby may not have; "in flight" is no result. */
function mustWait(conflicting: readonly Conflicting[], decided: readonly DecidedMint[]): boolean {
  if (!conflicting.some(({ conflicts }) => conflicts.hasStandby)) return false;
  return decided.some(({ result }) => !(result instanceof Problem && result.code === 'REQUEST_IN_FLIGHT'));
}
