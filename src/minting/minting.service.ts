import { Injectable } from '@nestjs/common';
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
import { IdentifierWriter, keysOf, partitionConflicting } from '../storage/identifiers/identifier-writer.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type LockWait, type Queryable, Transactions } from '../storage/transactions.js';
import { type PreviousVersions, buildCandidates } from './build-candidates.js';
import { MintConflicts } from './mint-conflicts.js';
import {
  type Candidate,
  type DecidedMint,
  type Decisions,
  type MintGroupResults,
  type MintJob,
  type MintOutcome,
  type MintResult,
  withUnderstood,
} from './mint-outcome.js';
import { MintQueue, isInFlight } from './mint-queue.js';
import { MintReplays } from './mint-replays.js';
import { MintStatistics } from './mint-statistics.js';
import { turnsOf } from './mint-turns.js';
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
    private readonly writer: IdentifierWriter,
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

  /** Mints one identifier, or returns the identifier of an earlier request. For `onExisting: "update"`, see `UpsertsService.mint`. */
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
    // Concurrent requests have no order, so no request waits until another one has registered its previous version.
    const found = await this.previousVersions.find(jobs);
    const { results, failure } = await this.resultsOf(this.steps(jobs, found, undefined, lockWait));
    return jobs.map((job) => results.get(job) ?? failure ?? new Error('a mint has no result'));
  }

  /**
   * Mints identifiers in a transaction of the caller, who counts them after its commit. Problems are results, as in `mintAll`.
   * @throws Stale if expired reservations hold names that the mints request.
   */
  async mintWithin(transaction: Queryable, jobs: readonly MintJob[]): Promise<Map<MintJob, MintResult>> {
    const results = new Map<MintJob, MintResult>();
    const found = await this.previousVersions.find(jobs, transaction);
    for await (const decided of this.steps(jobs, found, transaction, 'usual')) collect(results, decided);
    return results;
  }

  /** Mints identifiers independently of each other; each statement commits. Problems are results. */
  async mintAll(jobs: readonly MintJob[]): Promise<MintGroupResults> {
    return this.resultsOf(this.inTurns(jobs));
  }

  private async resultsOf(steps: AsyncIterable<readonly DecidedMint[]>): Promise<MintGroupResults> {
    const results = new Map<MintJob, MintResult>();
    let failure: Error | null = null;
    try {
      for await (const decided of steps) collect(results, decided);
      this.statistics.noteReplays(results);
    } catch (error) {
      // Committed mints keep their results, because a repeat would mint a second identifier.
      failure = errorOf(error);
    }
    this.statistics.count(results);
    return { results, failure };
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

  /** A mint can name an earlier mint of the list as its previous version, so a mint is built after the earlier one is registered. */
  private async *inTurns(jobs: readonly MintJob[]): AsyncGenerator<readonly DecidedMint[]> {
    const registered = await this.previousVersions.find(jobs);
    let isRepeat = false;
    for (const turn of turnsOf(jobs, (job) => isUnregistered(job, registered))) {
      const found: PreviousVersions = await this.previousVersions.find(turn, undefined, registered);
      // The first request with the key may still register the previous version.
      const early: readonly MintJob[] = isRepeat ? turn.filter((job) => isUnregistered(job, found)) : [];
      yield early.map((job) => ({ job, result: requestInFlight() }));
      const ready = turn.filter((job) => !early.includes(job));
      for await (const decided of this.steps(ready, found, undefined, 'usual')) {
        isRepeat ||= decided.some(({ result }) => isInFlight(result));
        yield decided;
      }
    }
  }

  /** Builds and inserts mints, and finds their conflicts, until each has a result. Yields the results of each step. */
  private async *steps(
    jobs: readonly MintJob[],
    previousVersions: PreviousVersions,
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): AsyncGenerator<readonly DecidedMint[]> {
    const { guids } = this;
    let attempts = jobs.map((job) => ({ job, attempt: 1 }));
    let latest: NamingAuthoritySnapshot | null = null;
    for (;;) {
      const { rejected, candidates } = buildCandidates(attempts, { guids, latest, previousVersions });
      yield await this.replaceRejections(rejected);
      if (candidates.length === 0) return;
      let ready: readonly Candidate[] = candidates;
      if (this.looksUpFirst && transaction === undefined) {
        const found = await this.conflicts.explain(candidates, undefined, lockWait);
        yield found.decided;
        ready = found.undecided;
      }
      const { now, later } = partitionConflicting(ready);
      const inserted = await this.insert(now, transaction, lockWait);
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
      // The naming authorities are read again, because a change of a naming authority is a reason for another attempt.
      latest = explained.undecided.some(isAgain) ? await this.authorities.refresh() : null;
      attempts = explained.undecided.map((each) => ({
        job: each.job,
        attempt: each.attempt + Number(hasFailed(each)),
      }));
    }
  }

  /** Charges mints before their statement, which commits, and refunds those not created. In a transaction, the caller charges. */
  private async insert(
    candidates: readonly Candidate[],
    transaction: Queryable | undefined,
    lockWait: LockWait,
  ): Promise<Decisions> {
    const decided: DecidedMint[] = [];
    const undecided: Candidate[] = [];
    const isCharged = transaction === undefined && this.budget.isLimited;
    const permitted = isCharged ? candidates.filter((each) => this.charge(each, decided)) : candidates;
    const uncreated = new Set(isCharged ? permitted : []);
    try {
      const items = permitted.map(({ item }) => item);
      const rows = await this.writer.insert(items, transaction, lockWait);
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
