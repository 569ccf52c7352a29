import { Inject, Injectable } from '@nestjs/common';
import { type Charge, MintBudget } from '../access/limits/mint-budget.js';
import type { Principal, RequestContext } from '../access/principal.js';
import { parseNamingAuthority } from '@mintmark/identifier';
import { Metrics } from '../metrics/metrics.js';
import { Problem, errorOf } from '../problem/problem.js';
import { requestInFlight } from '../problem/storage-problems.js';
import { type MintRequest, mintFingerprint, parseMintRequest } from '../registry/mint-command.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { GuidGenerator } from '../registry/uuid.js';
import {
  type Insertion,
  keysOf,
  partitionConflicting,
  prepareInsertion,
} from '../storage/identifiers/identifier-writer.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type LockWait, type Queryable, Transactions } from '../storage/transactions.js';
import { WRITE_CLIENT, type WriteClient } from '../storage/write-client.js';
import { type PreviousVersions, buildCandidates } from './build-candidates.js';
import { MintConflicts } from './mint-conflicts.js';
import {
  type Candidate,
  type DecidedMint,
  type Decisions,
  type MintJob,
  type MintOutcome,
  type MintResult,
  withUnderstood,
} from './mint-outcome.js';
import { MintQueue, isInFlight } from './mint-queue.js';
import { MintReplays } from './mint-replays.js';
import { MintStatistics } from './mint-statistics.js';
import { turnsOf } from './mint-turns.js';
import type { BuiltMints, InsertBatch, MintGroupResults, PreparedMints } from './prepared-mints.js';
import { PreviousVersionReader, isUnregistered } from './previous-versions.js';

/**
 * Mints exactly once. Unique indexes decide in the inserting statement; a second query finds the conflicts of rows that were not inserted.
 * No query before the insert decides that a name is free, so concurrent requests cannot both succeed.
 */
@Injectable()
export class MintingService {
  private readonly queue: MintQueue;
  /** For mints in a transaction, the caller records the results after its commit. */
  readonly statistics: MintStatistics;

  constructor(
    @Inject(WRITE_CLIENT) private readonly prisma: WriteClient,
    private readonly conflicts: MintConflicts,
    private readonly replays: MintReplays,
    private readonly authorities: NamingAuthorityCache,
    private readonly guids: GuidGenerator,
    private readonly budget: MintBudget,
    metrics: Metrics,
    private readonly previousVersions: PreviousVersionReader,
    transactions: Transactions,
  ) {
    this.statistics = new MintStatistics(metrics);
    this.queue = new MintQueue((jobs, lockWait) => this.mintGroup(jobs, lockWait), metrics, transactions.maxWaitMs);
  }

  /**
   * Mints one identifier, or returns that of an earlier request. For `onExisting: "update"` see `UpsertsService.mint`.
   */
  async mint(request: MintRequest, context: RequestContext): Promise<MintOutcome> {
    const job = await this.readRequest(request, context);
    return withUnderstood(await this.mintOne(job), job);
  }

  /** The first half of `mint`: parses and authorizes a request. */
  async readRequest(
    request: MintRequest,
    { principal, idempotencyKey: key, onCharge }: RequestContext,
  ): Promise<MintJob> {
    const known = principal.viewOf(await this.knownFor(principal, [request.namingAuthority]));
    const command = parseMintRequest(request, known);
    principal.requireMinting(command);
    const index = key === undefined ? null : { key, index: 0, fingerprint: mintFingerprint(command) };
    return { command, context: { actor: principal, request: index }, known, reader: principal, onCharge };
  }

  /** The second half of `mint`, which can be repeated. */
  async mintOne(job: MintJob): Promise<MintOutcome> {
    return this.queue.mint(job);
  }

  /** The naming authorities for a request. Unknown and inactive ones are read again, because they may have changed. */
  async knownFor(principal: Principal, prefixes: Iterable<string>): Promise<NamingAuthoritySnapshot> {
    const usable = [...prefixes].filter((prefix) => principal.covers(prefix) && parseNamingAuthority(prefix).ok);
    return this.authorities.currentFor(usable);
  }

  /** Whether replays are looked up before the insert: if they are likely, or if only new identifiers may be charged. */
  private get looksUpFirst(): boolean {
    return this.budget.isLimited || this.statistics.expectsReplays;
  }

  private async mintGroup(jobs: readonly MintJob[], lockWait: LockWait): Promise<(MintOutcome | Error)[]> {
    // Concurrent requests have no order, so none waits until another one has registered its previous version.
    const built = await this.build(jobs, await this.previousVersions.find(jobs));
    const { results, failure } = await this.insertPrepared(built, lockWait);
    return jobs.map((job) => results.get(job) ?? failure ?? new Error('a mint has no result'));
  }

  /**
   * Mints identifiers in a transaction of the caller, who counts them after its commit. Problems are results, as in `insertPrepared`.
   * @throws Stale if expired reservations hold names that the mints request.
   */
  async mintWithin(transaction: Queryable, jobs: readonly MintJob[]): Promise<Map<MintJob, MintResult>> {
    const results = new Map<MintJob, MintResult>();
    const built = await this.build(jobs, await this.previousVersions.find(jobs, transaction));
    for await (const decided of this.steps(built, transaction, 'usual')) collect(results, decided);
    return results;
  }

  /** Prepares and inserts mints. `failure` may also come from the preparation. */
  async mintAll(jobs: readonly MintJob[]): Promise<MintGroupResults> {
    try {
      return await this.insertPrepared(await this.prepare(jobs));
    } catch (error) {
      return { results: new Map(), failure: errorOf(error) };
    }
  }

  /** The first half of a mint. It writes nothing, so it can run while other mints are written. */
  async prepare(jobs: readonly MintJob[]): Promise<PreparedMints> {
    const found = await this.previousVersions.find(jobs);
    const waits = (job: MintJob): boolean => isUnregistered(job, found);
    return jobs.some(waits) ? { found, turns: turnsOf(jobs, waits) } : this.build(jobs, found);
  }

  private async build(jobs: readonly MintJob[], previousVersions: PreviousVersions): Promise<BuiltMints> {
    const { guids } = this;
    const first = jobs.map((job) => ({ job, attempt: 1 }));
    const { rejected, candidates } = buildCandidates(first, { guids, latest: null, previousVersions });
    return {
      previousVersions,
      decided: await this.replaceRejections(rejected),
      undecided: candidates,
      insertBatch: this.looksUpFirst ? null : this.prepareInsert(candidates),
    };
  }

  /**
   * Replaces rejections by results of earlier requests with the same keys, because a replay takes precedence. A chunk is prepared while the
   * previous one is written with the same key, so REQUEST_IN_FLIGHT replaces no rejection.
   */
  private async replaceRejections(rejected: readonly DecidedMint[]): Promise<readonly DecidedMint[]> {
    if (rejected.every(({ job }) => job.context.request === null)) return rejected;
    const replays = await this.replays.find(rejected.map(({ job }) => job));
    return rejected.map(({ job, result }) => {
      const replay = replays.get(job);
      return { job, result: replay === undefined || isInFlight(replay) ? result : replay };
    });
  }

  /** Mints identifiers independently of each other; each statement commits. Call it once for each preparation. Problems are results. */
  async insertPrepared(prepared: PreparedMints, lockWait: LockWait = 'usual'): Promise<MintGroupResults> {
    const results = new Map<MintJob, MintResult>();
    let failure: Error | null = null;
    try {
      for await (const decided of this.stepsOf(prepared, lockWait)) collect(results, decided);
      this.statistics.noteReplays(results);
    } catch (error) {
      // Committed mints keep their results, because a repeat would mint a second identifier.
      failure = errorOf(error);
    }
    this.statistics.count(results);
    return { results, failure };
  }

  private async *stepsOf(prepared: PreparedMints, lockWait: LockWait): AsyncGenerator<readonly DecidedMint[]> {
    if (!('turns' in prepared)) {
      yield* this.steps(prepared, undefined, lockWait);
      return;
    }
    let isRepeat = false;
    for (const jobs of prepared.turns) {
      const found: PreviousVersions = await this.previousVersions.find(jobs, undefined, prepared.found);
      // The first request with the key may still register the previous version.
      const early: readonly MintJob[] = isRepeat ? jobs.filter((job) => isUnregistered(job, found)) : [];
      if (early.length > 0) yield early.map((job) => ({ job, result: requestInFlight() }));
      const ready: readonly MintJob[] = early.length > 0 ? jobs.filter((job) => !early.includes(job)) : jobs;
      const built = await this.build(ready, found);
      for await (const decided of this.steps(built, undefined, lockWait)) {
        isRepeat ||= decided.some(({ result }) => isInFlight(result));
        yield decided;
      }
    }
  }

  /** Inserts mints and finds their conflicts, until each has a result. Yields the results of each step. */
  private async *steps(
    prepared: BuiltMints,
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): AsyncGenerator<readonly DecidedMint[]> {
    yield prepared.decided;
    let { undecided: candidates, insertBatch } = prepared;
    while (candidates.length > 0) {
      if (this.looksUpFirst && transaction === undefined) {
        const found = await this.conflicts.explain(candidates, undefined, lockWait);
        yield found.decided;
        if (found.undecided.length === 0) return;
        insertBatch = this.prepareInsert(found.undecided);
      }
      const { now, later, insertion } = insertBatch ?? this.prepareInsert(candidates);
      const inserted = await this.insert(now, insertion, transaction, lockWait);
      yield inserted.decided;
      const open = [...inserted.undecided, ...later];
      if (open.length === 0) return;
      const explained = await this.conflicts.explain(open, transaction, lockWait);
      yield explained.decided;
      if (explained.undecided.length === 0) return;
      const wereLater = new Set(later);
      const isAgain = (candidate: Candidate): boolean => !wereLater.has(candidate);
      // A conflict of an alternate rolls back the whole statement. An item without unique values is then not the cause.
      const canConflict = ({ item }: Candidate): boolean => keysOf(item).length > 0;
      const isOfOthers = now.some(canConflict);
      const hasFailed = (each: Candidate): boolean => isAgain(each) && (canConflict(each) || !isOfOthers);
      // The naming authorities are read again, because a change to one is a reason for another attempt.
      const latest = explained.undecided.some(isAgain) ? await this.authorities.refresh() : null;
      const { guids } = this;
      const rebuilt = buildCandidates(
        explained.undecided.map((each) => ({ job: each.job, attempt: each.attempt + (hasFailed(each) ? 1 : 0) })),
        { guids, latest, previousVersions: prepared.previousVersions },
      );
      yield await this.replaceRejections(rebuilt.rejected);
      ({ candidates } = rebuilt);
      insertBatch = null;
    }
  }

  private prepareInsert(candidates: readonly Candidate[]): InsertBatch {
    const { now, later } = partitionConflicting(candidates);
    return { now, later, insertion: prepareInsertion(now.map(({ item }) => item)) };
  }

  /** Charges mints before the statement, because it also commits, and refunds those not created. In a transaction, the caller charges. */
  private async insert(
    candidates: readonly Candidate[],
    insertion: Insertion,
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): Promise<Decisions> {
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const isCharged = transaction === undefined && this.budget.isLimited;
    const permitted = isCharged ? candidates.filter((each) => this.charge(each, decided)) : candidates;
    const uncreated = new Set(isCharged ? permitted : []);
    const permittedInsertion = isCharged ? prepareInsertion(permitted.map(({ item }) => item)) : insertion;
    try {
      const rows = await this.prisma.identifier.mint(permittedInsertion, transaction, lockWait);
      for (const [index, candidate] of permitted.entries()) {
        const row = rows[index] ?? null;
        if (row === null) undecided.push(candidate);
        else {
          const { record, metadataRecord } = row;
          decided.push({ job: candidate.job, result: { outcome: 'created', record, metadataRecord } });
          uncreated.delete(candidate);
        }
      }
      return { decided, undecided };
    } catch (error) {
      if (error instanceof Problem && error.code === 'OUTCOME_UNKNOWN') uncreated.clear();
      throw error;
    } finally {
      for (const { item } of uncreated) this.budget.refund(chargeOf(item));
    }
  }

  private charge({ job, item }: Candidate, rejected: DecidedMint[]): boolean {
    const result = this.budget.charge(chargeOf(item), job.onCharge);
    if (result !== null) rejected.push({ job, result });
    return result === null;
  }
}

function chargeOf({ authority, metadataRecord }: NewIdentifier): Charge {
  return new Map([[authority.prefix, metadataRecord === null ? 1 : 2]]);
}

function collect(results: Map<MintJob, MintResult>, decided: readonly DecidedMint[]): void {
  for (const { job, result } of decided) results.set(job, result);
}
