import { Injectable } from '@nestjs/common';
import type { IgnorableValues } from '../registry/ignored-members.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { ChangeReader } from '../storage/changes/change-reader.js';
import { ConflictRetries, Stale } from '../storage/conflict-retries.js';
import { ConflictFinder, type Conflicts, expiredIn } from '../storage/identifiers/conflict-finder.js';
import { requireSequence } from '../storage/changes/position-offset.js';
import { type LockWait, type Queryable, Transactions, lockWaitMs } from '../storage/transactions.js';
import { MAX_ATTEMPTS } from './build-candidates.js';
import { RecordBudget } from './found-records.js';
import type { Candidate, DecidedMint, Decisions } from './mint-outcome.js';
import { MintReplays } from './mint-replays.js';
import { needsValuesAsMinted, resolveConflicts } from './resolve-conflicts.js';

interface Conflicting {
  readonly candidate: Candidate;
  readonly conflicts: Conflicts;
  /** The values with which the identifier with the metadata ID was minted, if needed. */
  readonly asMinted: IgnorableValues | undefined;
}

/** Explains why identifiers were not inserted. */
@Injectable()
export class MintConflicts {
  constructor(
    private readonly finder: ConflictFinder,
    private readonly retries: ConflictRetries,
    private readonly transactions: Transactions,
    private readonly replays: MintReplays,
    private readonly changes: ChangeReader,
  ) {}

  /**
   * Finds and resolves the conflicts of mints, and stores results that no row of an identifier has. Candidates that have no conflict, or
   * whose conflict is gone, stay undecided. The expiry of conflicting reservations is recorded, except in a transaction.
   * @throws Stale in a transaction, if expired reservations have requested names.
   */
  async explain(
    candidates: readonly Candidate[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): Promise<Decisions> {
    const budget = new RecordBudget();
    const undecided: Candidate[] = [];
    const expired: bigint[] = [];
    // Replays come first, because the search for conflicts ignores identifiers of the same requests.
    const replays = await this.replays.find(
      candidates.map(({ job }) => job),
      transaction,
    );
    const decided = [...replays].map(([job, result]): DecidedMint => ({ job, result: budget.reduce(result) }));
    const open = candidates.filter(({ job }) => !replays.has(job));
    let size = open.length;
    for (let done = 0; done < open.length;) {
      const next = open.slice(done, done + size);
      const first = await this.explainFirst(next, transaction, lockWait, expired);
      const explained = first.decided.length + first.undecided.length;
      done += explained;
      // The statement returns only the first mints if the records are large, so the next number of mints depends on how many it returned.
      size = explained === next.length ? size * 4 : 2 * explained;
      decided.push(...first.decided.map(({ job, result }) => ({ job, result: budget.reduce(result) })));
      undecided.push(...first.undecided);
    }
    if (expired.length > 0) throw new Stale(expired);
    return { decided, undecided };
  }

  /** Explains the first candidates, at least one: all of them, unless the records of their conflicts are large. */
  private async explainFirst(
    candidates: readonly Candidate[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
    ended: bigint[],
  ): Promise<Decisions> {
    const conflicting = await this.find(candidates, transaction);
    if (candidates.some(({ attempt }) => attempt === MAX_ATTEMPTS)) {
      await (transaction === undefined ? this.transactions.run(requireSequence) : requireSequence(transaction));
    }
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const expired: bigint[] = [];
    const toStore = new Map<DecidedMint, Candidate>();
    for (const { candidate, conflicts, asMinted } of conflicting) {
      const { job } = candidate;
      const result = resolveConflicts(conflicts, job.command, job.reader, asMinted);
      if (result === null) {
        undecided.push(candidate);
        expired.push(...expiredIn(conflicts).map(({ id }) => id));
      } else if (this.replays.mustStore({ job, result })) toStore.set({ job, result }, candidate);
      else decided.push({ job, result });
    }
    if (transaction === undefined) await this.retries.expire(expired, lockWaitMs(lockWait));
    else ended.push(...expired);
    const valid = await this.replays.store([...toStore.keys()]);
    // The commit of stored results waits for the standby. In a transaction, the commit of the caller waits for it.
    if (
      transaction === undefined &&
      valid.size === 0 &&
      conflicting.some(({ conflicts }) => conflicts.hasStandby) &&
      decided.length > 0
    )
      await this.transactions.waitForStandby();
    for (const [decision, candidate] of toStore) {
      if (valid.has(decision)) decided.push(decision);
      else undecided.push(candidate);
    }
    return { decided, undecided };
  }

  private async find(candidates: readonly Candidate[], from: Queryable | undefined): Promise<Conflicting[]> {
    const items: readonly NewIdentifier[] = candidates.map(({ item }) => item);
    const found = await this.finder.find(items, from);
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
}
