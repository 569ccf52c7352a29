import { Injectable } from '@nestjs/common';
import { Problem } from '../../problem/problem.js';
import { GuidGenerator } from '../../registry/guid-generator.js';
import { IdentifierUpdater } from '../../storage/identifiers/identifier-updater.js';
import { IdentifierWriter, type Insertion } from '../../storage/identifiers/identifier-writer.js';
import { ConflictFinder, type Conflicts, expiredIn } from '../../storage/identifiers/conflict-finder.js';
import { partitionConflicting } from '../../storage/identifiers/partition-conflicting.js';
import { NamingAuthorityCache, activeIn } from '../../storage/naming-authorities/naming-authority-cache.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { requestInFlight, keyReused } from '../../storage/idempotency.js';
import { type LockWait, type Queryable, Transactions, lockWaitMs } from '../../storage/transactions.js';
import { type MintContext, buildIdentifier } from '../../registry/build-identifier.js';
import { MintReplays, type MintResult } from './mint-replays.js';
import { MintMetrics } from './mint-metrics.js';
import type { MintCommand } from '../../registry/mint-command.js';
import { type MintOutcome, resolveConflicts } from './mint-outcome.js';
import { ReplayRate } from './replay-rate.js';

/** Attempts of a mint with new GUIDs. Random GUIDs never collide unless the random source is broken. */
const MAX_ATTEMPTS = 5;

/** A mint and its context. */
export interface MintJob {
  readonly command: MintCommand;
  readonly context: MintContext;
}

/** Mints that are ready for the database. */
export interface PreparedMints {
  readonly jobs: readonly MintJob[];
  readonly candidates: readonly Candidate[];
  /** Null where replays are likely, which are searched first. */
  readonly insertBatch: InsertBatch | null;
  readonly results: (MintOutcome | Problem)[];
}

interface Pending {
  readonly job: MintJob;
  readonly index: number;
  readonly attempt: number;
}

interface Candidate {
  readonly pending: Pending;
  readonly item: NewIdentifier;
}

/** The candidates of one statement, and those that conflict with one of them and follow later. */
interface InsertBatch {
  readonly now: readonly Candidate[];
  readonly later: readonly Candidate[];
  readonly insertion: Insertion;
}

/**
 * Mints exactly once. The unique indexes decide in the inserting statement; only for rows that were not inserted a
 * second query finds the conflict. A result of a query before the insert is used only for replays, so concurrent
 * requests cannot both succeed.
 */
@Injectable()
export class MintingService {
  private readonly replayRate = new ReplayRate();

  constructor(
    private readonly writer: IdentifierWriter,
    private readonly conflictFinder: ConflictFinder,
    private readonly changes: IdentifierUpdater,
    private readonly transactions: Transactions,
    private readonly authorities: NamingAuthorityCache,
    private readonly guids: GuidGenerator,
    private readonly metrics: MintMetrics,
    private readonly replays: MintReplays,
  ) {}

  /**
   * Mints identifiers independently of each other.
   * @param transaction the transaction of the caller; without one, each statement commits by itself.
   * @returns one result for each command, in order; problems are results, including UNKNOWN_NAMING_AUTHORITY and
   * SUSPENDED_NAMING_AUTHORITY.
   */
  async mintAll(jobs: readonly MintJob[], transaction?: Queryable): Promise<(MintOutcome | Problem)[]> {
    return this.insertPrepared(await this.prepare(jobs), transaction);
  }

  /**
   * The same for a batch of the queue: an error is the result only of those commands that were not finished before.
   * @param lockWait how long each statement waits for a lock.
   */
  async mintEach(jobs: readonly MintJob[], lockWait: LockWait): Promise<(MintOutcome | Error)[]> {
    const prepared = await this.prepare(jobs);
    try {
      return await this.insertPrepared(prepared, undefined, lockWait);
    } catch (error) {
      // Committed mints must not be repeated: that would mint a second identifier.
      this.metrics.count(
        jobs.map(({ command }) => command),
        prepared.results,
      );
      return jobs.map((_, index) => prepared.results[index] ?? errorOf(error));
    }
  }

  /** The first half of `mintAll`. It writes nothing, so it can run while other mints are written. */
  async prepare(jobs: readonly MintJob[]): Promise<PreparedMints> {
    const results: (MintOutcome | Problem)[] = [];
    const pending = jobs.map((job, index) => ({ job, index, attempt: 1 }));
    const candidates = pending.length === 0 ? [] : await this.buildCandidates(pending, results);
    return { jobs, results, candidates, insertBatch: this.replayRate.likely ? null : this.prepareInsert(candidates) };
  }

  /** The second half of `mintAll`, once for each draft. */
  async insertPrepared(
    prepared: PreparedMints,
    transaction?: Queryable,
    lockWait: LockWait = 'usual',
  ): Promise<(MintOutcome | Problem)[]> {
    const { jobs, results } = prepared;
    let { candidates, insertBatch } = prepared;
    while (candidates.length > 0) {
      const looksFirst = transaction === undefined && this.replayRate.likely;
      if (looksFirst) insertBatch = this.prepareInsert(await this.decide(candidates, results, undefined, lockWait));
      const pending = await this.insertRound(
        insertBatch ?? this.prepareInsert(candidates),
        results,
        transaction,
        lockWait,
      );
      candidates = pending.length === 0 ? [] : await this.buildCandidates(pending, results);
      insertBatch = null;
    }
    if (transaction === undefined) {
      const commands = jobs.map(({ command }) => command);
      this.metrics.count(commands, results);
      this.replayRate.note(results.filter(isReplay).length, jobs.length);
    }
    return results;
  }

  /** Inserts one round of candidates. @returns those to try again. */
  private async insertRound(
    { now, later, insertion }: InsertBatch,
    results: (MintOutcome | Problem)[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): Promise<Pending[]> {
    const inserted = await this.writer.insert(insertion, transaction, lockWait);
    now.forEach(({ pending: inserting }, index) => {
      const row = inserted[index] ?? null;
      if (row === null) return;
      results[inserting.index] = { outcome: 'created', record: row.record, metadataRecord: row.metadataRecord };
    });
    const excluded = [...now.filter((_, index) => inserted[index] === null), ...later];
    if (excluded.length === 0) return [];
    const again = await this.decide(excluded, results, transaction, lockWait);
    const waited = new Set(later);
    return again.map((each) => ({ ...each.pending, attempt: each.pending.attempt + (waited.has(each) ? 0 : 1) }));
  }

  private prepareInsert(candidates: readonly Candidate[]): InsertBatch {
    const { now, later } = partitionConflicting(candidates);
    return { now, later, insertion: this.writer.prepare(items(now)) };
  }

  /**
   * Resolves the conflicts of mints and stores results that no row of an identifier has.
   * @returns those without a conflict, or whose conflict is gone.
   */
  private async decide(
    candidates: readonly Candidate[],
    results: (MintOutcome | Problem)[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): Promise<Candidate[]> {
    const conflicts = await this.conflictFinder.find(items(candidates), transaction);
    await this.expireLeases(conflicts, lockWait);
    const replays = await this.replaysOf(candidates, conflicts, transaction);
    const undecided: Candidate[] = [];
    const toStore: (MintResult & { readonly candidate: Candidate })[] = [];
    for (const [index, each] of candidates.entries()) {
      const { command, context } = each.pending.job;
      const found = conflicts[index];
      const replay = replays.get(each);
      const result = replay ?? (found === undefined ? null : await refusalOr(() => resolve(found, command, each.item)));
      if (result === null) undecided.push(each);
      else if (replay === undefined && this.replays.isStored({ context, command, result }))
        toStore.push({ candidate: each, context, command, result });
      else results[each.pending.index] = result;
    }
    const stored = await this.replays.store(toStore);
    for (const [index, { candidate: each, result }] of toStore.entries()) {
      if (stored[index] === true) results[each.pending.index] = result;
      else undecided.push(each);
    }
    return undecided;
  }

  /** The stored results of those that are repeats of the same request. */
  private async replaysOf(
    candidates: readonly Candidate[],
    conflicts: readonly Conflicts[],
    transaction?: Queryable,
  ): Promise<Map<Candidate, MintOutcome | Problem>> {
    const replayed = candidates.flatMap((each, index) => {
      const outcome = conflicts[index]?.storedResult;
      return outcome && outcome.hash === each.item.request?.fingerprint ? [{ each, text: outcome.text }] : [];
    });
    const read = await this.replays.readAll(
      replayed.map(({ text }) => text),
      transaction,
    );
    return new Map(replayed.flatMap(({ each }, index) => (read[index] === undefined ? [] : [[each, read[index]]])));
  }

  private async buildCandidates(pending: readonly Pending[], results: (MintOutcome | Problem)[]): Promise<Candidate[]> {
    // A changed naming authority is one reason for another attempt.
    const fresh = pending.some(({ attempt }) => attempt > 1);
    const known = fresh
      ? await this.authorities.refresh('all')
      : await this.authorities.currentFor(pending.map(({ job }) => job.command.namingAuthority));
    const candidates: Candidate[] = [];
    for (const each of pending) {
      const { command, context } = each.job;
      if (each.attempt > MAX_ATTEMPTS) {
        // Each attempt met another request with its key that had ended meanwhile.
        if (context.request !== null) {
          results[each.index] = requestInFlight();
          continue;
        }
        throw new Error(`${MAX_ATTEMPTS} consecutive generated GUIDs exist already; the random source repeats values`);
      }
      try {
        const authority = activeIn(known, command.namingAuthority);
        candidates.push({ pending: each, item: buildIdentifier(command, context, authority, known, this.guids) });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // A replay takes precedence over every other problem.
        results[each.index] = (await refusalOr(() => this.replays.find(context))) ?? error;
      }
    }
    return candidates;
  }

  /** Releases the values of expired reservations, in a separate transaction. */
  private async expireLeases(conflicts: readonly Conflicts[], lockWait: LockWait): Promise<void> {
    const ids = conflicts.flatMap((found) => expiredIn(found).map(({ id }) => id));
    if (ids.length === 0) return;
    await this.transactions.run((transaction) => this.changes.expireLeases(transaction, ids), lockWaitMs(lockWait));
  }
}

const isReplay = (result: MintOutcome | Problem): boolean =>
  !(result instanceof Problem) && result.outcome !== 'created';

/** @returns null when it is to be tried again. */
function resolve(conflicts: Conflicts, command: MintCommand, item: NewIdentifier): MintOutcome | null {
  if (conflicts.request === null && item.request !== null) {
    if (conflicts.storedResult !== null || conflicts.otherRequest) throw keyReused();
    if (conflicts.isInFlight) throw requestInFlight();
  }
  return hasExpired(conflicts) ? null : resolveConflicts(conflicts, command, item);
}

const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const hasExpired = (conflicts: Conflicts): boolean => expiredIn(conflicts).length > 0;

const items = (candidates: readonly Candidate[]): NewIdentifier[] => candidates.map(({ item }) => item);

/** A problem as a value, so that one of many does not stop the others. */
async function refusalOr<T>(work: () => T | Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
