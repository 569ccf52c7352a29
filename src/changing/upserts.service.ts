import { Injectable } from '@nestjs/common';
import type { Principal, RequestContext } from '../access/principal.js';
import {
  type DecidedMint,
  type MintGroupResults,
  type MintJob,
  type MintOutcome,
  type MintResult,
  withUnderstood,
} from '../minting/mint-outcome.js';
import { ChangeEngine } from './change-engine.js';
import { RecordBudget } from '../minting/found-records.js';
import { isInFlight } from '../minting/mint-queue.js';
import { MintReplays } from '../minting/mint-replays.js';
import { turnsOf } from '../minting/mint-turns.js';
import { MintingService } from '../minting/minting.service.js';
import { isLockTimeout } from '../problem/database-errors.js';
import { Problem, errorOf } from '../problem/problem.js';
import { conflictInProgress, requestInFlight } from '../problem/storage-problems.js';
import type { MintRequest } from '../registry/mint-command.js';
import { ConflictRetries, Stale } from '../storage/conflict-retries.js';
import { Transactions } from '../storage/transactions.js';
import { ExistingUpdates, type FoundMint, foundIn, knownIn } from './existing-updates.js';

/** Maximum number of identifiers that one transaction updates. The transaction keeps all of their records in memory. */
const MOST_TOGETHER = 50;

/** Another request used the Idempotency-Key of a mint, so that the mint must be decided again. */
class KeyUsed extends Error {}

/** Mints identifiers, and with `onExisting: "update"` updates those that have the metadata IDs already, in separate transactions. */
@Injectable()
export class UpsertsService {
  constructor(
    private readonly minting: MintingService,
    private readonly replays: MintReplays,
    private readonly updates: ExistingUpdates,
    private readonly engine: ChangeEngine,
    private readonly retries: ConflictRetries,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Mints an identifier, unless it exists. A repeat with the same key returns the first result. A request with a known metadata ID returns
   * or updates the identifier.
   * @throws Problem as `MintingService.mint`, and for an update as `ChangePlan.add`, or CONFLICT_IN_PROGRESS.
   */
  async mint(request: MintRequest, context: RequestContext): Promise<MintOutcome> {
    const job = await this.minting.readRequest(request, context);
    return withUnderstood(await this.mintOne(job, context.principal), job);
  }

  private async mintOne(job: MintJob, principal: Principal): Promise<MintOutcome> {
    const first = new Map<MintJob, MintResult>([[job, await this.minting.mintOne(job)]]);
    const { results, failure } = await this.settle({ results: first, failure: null }, principal, new RecordBudget());
    const result = results.get(job);
    if (result === undefined) throw failure === null || isLockTimeout(failure) ? conflictInProgress() : failure;
    if (result instanceof Problem) throw result;
    return result;
  }

  /** Mints and updates in the order of the list where the order matters. Problems are results, as in `MintingService.mintAll`. */
  async mintAll(jobs: readonly MintJob[], principal: Principal): Promise<MintGroupResults> {
    const updating = await this.updates.findUpdating(jobs).catch(errorOf);
    const all = new Map<MintJob, MintResult>();
    if (updating instanceof Error) return { results: all, failure: updating };
    const budget = new RecordBudget();
    let isRepeat = false;
    for (const turn of updating === null ? [jobs] : turnsOf(jobs, () => true, updating)) {
      // The first request with the key may still execute the earlier turns.
      const { results, failure }: MintGroupResults = isRepeat
        ? { results: new Map(turn.map((job) => [job, requestInFlight()])), failure: null }
        : await this.settle(await this.minting.mintAll(turn), principal, budget);
      for (const [job, result] of results) all.set(job, result);
      if (failure !== null) return { results: all, failure };
      isRepeat ||= [...results.values()].some(isInFlight);
    }
    return { results: all, failure: null };
  }

  /** Updates the identifiers of mints with the outcome `toUpdate`. @returns the results; a mint without a result failed with `failure`. */
  private async settle(
    { results, failure }: MintGroupResults,
    principal: Principal,
    budget: RecordBudget,
  ): Promise<MintGroupResults> {
    let open: MintJob[] = [];
    let failed = failure;
    const attempt = async (): Promise<void> => {
      if (open.length > 0) {
        const again = await this.minting.mintAll(open);
        for (const [job, result] of again.results) results.set(job, result);
        failed = again.failure;
      }
      const found = foundIn(results);
      for (const { job } of found) results.delete(job);
      if (failed !== null) return;
      open = found.map(({ job }) => job);
      for (let from = 0; from < found.length; from += MOST_TOGETHER)
        await this.updateGroup(found.slice(from, from + MOST_TOGETHER), principal, results, budget);
      open = open.filter((job) => !results.has(job));
      if (open.length > 0) throw new Stale();
    };
    try {
      await this.retries.run(attempt);
    } catch (error) {
      // Committed updates keep their results.
      if (error instanceof Problem && error.code === 'CONFLICT_IN_PROGRESS') {
        for (const job of open) if (!results.has(job)) results.set(job, error);
      } else failed = errorOf(error);
    }
    return { results, failure: failed };
  }

  /**
   * Updates different identifiers in one transaction or, if that fails, in one transaction each. A mint has no result if its identifier has
   * lost its metadata ID, or if another request used its key.
   */
  private async updateGroup(
    group: readonly FoundMint[],
    principal: Principal,
    results: Map<MintJob, MintResult>,
    budget: RecordBudget,
  ): Promise<void> {
    try {
      const updated = await this.updateTogether(group, principal);
      for (const [job, result] of updated) results.set(job, budget.reduce(result));
    } catch (error) {
      if (!(error instanceof KeyUsed) && !isLockTimeout(error)) throw error;
      const [first, second] = group;
      if (second !== undefined) {
        for (const one of group) await this.updateGroup([one], principal, results, budget);
      } else if (first !== undefined && isLockTimeout(error)) results.set(first.job, conflictInProgress());
    }
  }

  /**
   * Updates identifiers, and stores the results under their idempotency keys in the same transaction, so that a repeat updates nothing.
   * @returns no result for a mint whose identifier has lost its metadata ID.
   * @throws KeyUsed
   */
  private async updateTogether(
    found: readonly FoundMint[],
    principal: Principal,
  ): Promise<ReadonlyMap<MintJob, MintResult>> {
    return this.retries.run(() =>
      this.transactions.run(async (transaction) => {
        const ids = found.map(({ id }) => id);
        const locked = await this.engine.lock(transaction, ids);
        const updated = await this.updates.apply(transaction, locked, found.filter(knownIn(locked)), principal);
        const toStore: DecidedMint[] = [...updated]
          .map(([job, result]) => ({ job, result }))
          .filter((decided) => this.replays.mustStore(decided));
        const stored = await this.replays.store(toStore, transaction);
        if (stored.size < toStore.length) throw new KeyUsed();
        return updated;
      }),
    );
  }
}
