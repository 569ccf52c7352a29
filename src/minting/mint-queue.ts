import { setTimeout as pause } from 'node:timers/promises';
import type { Metrics } from '../metrics/metrics.js';
import { databaseProblem, isConflict, isLockTimeout } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import { conflictInProgress, queueFull, tableLocked } from '../problem/storage-problems.js';
import { Batcher, type BatcherLimits } from '../storage/batcher.js';
import type { LockWait } from '../storage/transactions.js';
import type { MintJob, MintOutcome, MintResult } from './mint-outcome.js';

/** How mints are sent, and how long a statement waits for a lock. */
interface Stage extends BatcherLimits {
  readonly lockWait: LockWait;
}

/** Two batches keep the database busy during a commit. 200 rows take milliseconds; 5,000 mints take one or two seconds. */
const GROUPS: Stage = { maxBatchSize: 200, maxConcurrentBatches: 2, maxQueueLength: 5000, lockWait: 'brief' };

/** Batches that timed out on a lock wrote nothing. Their mints are sent again, in smaller batches and then alone. */
const STAGES: readonly Stage[] = [
  GROUPS,
  { maxBatchSize: 16, maxConcurrentBatches: 1, maxQueueLength: 5000, lockWait: 10 },
  { maxBatchSize: 1, maxConcurrentBatches: 1, maxQueueLength: 5000, lockWait: 10 },
];

const ALONE = STAGES.length - 1;

/** Blocked mints wait for their lock in turns, on two connections of the general pool. */
const WAITING: Stage = { maxBatchSize: 1, maxConcurrentBatches: 2, maxQueueLength: 40, lockWait: 250 };

/** Maximum time that a mint waits for a lock, over all its turns. */
const MOST_WAIT_MS = 4000;

/** Maximum number of mints that wait in memory for another mint with the same names. */
const MOST_FOLLOWERS = 5000;

/** Milliseconds between attempts while another request uses the same idempotency key. */
const PAUSES_MS = [20, 40, 80, 160, 320, 640, 1280];

export function isInFlight(result: unknown): boolean {
  return result instanceof Problem && result.code === 'REQUEST_IN_FLIGHT';
}

/** Repeats an attempt while another request uses its key. The pauses hold neither a connection nor a place in a queue. */
export async function whileInFlight<T>(attempt: () => Promise<T>, isOpen: (result: T) => boolean): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    const result = await attempt();
    if (!isOpen(result)) return result;
    await pause(pauseMs);
  }
  return attempt();
}

/** Returns one result per job, in order. A job has an error only if it was not finished when the error occurred. */
export type MintGroup = (jobs: readonly MintJob[], lockWait: LockWait) => Promise<(MintOutcome | Error)[]>;

interface Turn {
  readonly job: MintJob;
  readonly deadline: number;
}

/** Coalesces waiting mints into one statement and commit. A row that fails or is locked does not delay other mints. */
export class MintQueue {
  private readonly stages: readonly Batcher<MintJob, MintOutcome>[];
  private readonly waiting: Batcher<Turn, MintOutcome>;
  private readonly blocked = new BlockedNames();

  /** @param maxWaitMs time after which a mint that was not sent is rejected, with a known outcome. */
  constructor(
    mintGroup: MintGroup,
    private readonly metrics: Metrics,
    maxWaitMs: number,
  ) {
    this.stages = STAGES.map(
      (stage) => new Batcher((jobs) => mintGroup(jobs, stage.lockWait), { ...stage, maxWaitMs }),
    );
    this.waiting = new Batcher(async (turns) => {
      if (turns.some(({ deadline }) => Date.now() > deadline)) throw conflictInProgress();
      const jobs = turns.map(({ job }) => job);
      return mintGroup(jobs, WAITING.lockWait);
    }, WAITING);
    metrics.queueDepth('mints', () =>
      [...this.stages, this.waiting].reduce((sum, { depth }) => sum + depth, this.blocked.waiting),
    );
  }

  /**
   * Mints one identifier, or returns the identifier of an earlier request.
   * @throws Problem of the mint; CONFLICT_IN_PROGRESS if another transaction holds a unique value for too long (`lock_request_key` does not
   * wait for an idempotency key); OVERLOADED when the queue is full.
   */
  async mint(job: MintJob): Promise<MintOutcome> {
    try {
      const attempt = (): Promise<MintResult> =>
        this.attempt(job).catch((error: unknown) => {
          if (error instanceof Problem && isInFlight(error)) return error;
          throw error;
        });
      const result = await whileInFlight(attempt, isInFlight);
      if (result instanceof Problem) throw result;
      return result;
    } catch (error) {
      if (error instanceof Problem && error.code === 'OVERLOADED') this.metrics.rejected('overload');
      if (!isConflict(error)) throw error;
      throw valuesOf(job).length === 0 ? tableLocked() : conflictInProgress();
    }
  }

  /** @param deadline of a blocked mint, which waits for its lock in short intervals, so that it does not delay other mints. */
  private async attempt(job: MintJob, from = 0, deadline = Infinity): Promise<MintOutcome> {
    const isHolder = deadline !== Infinity;
    for (let stage = from; ;) {
      if (!isHolder && this.blocked.any && !(await this.blocked.freed(namesOf(job)))) throw conflictInProgress();
      const gathering = this.stages[stage];
      if (gathering === undefined && !isHolder)
        return this.blocked.hold(namesOf(job), this.attempt(job, stage, Date.now() + MOST_WAIT_MS));
      try {
        return await (gathering === undefined ? this.waiting.add({ job, deadline }) : gathering.add(job));
      } catch (error) {
        if (isHolder && error instanceof Problem && error.code === 'OVERLOADED') throw conflictInProgress();
        const next = Date.now() > deadline ? null : nextStage(stage, error);
        if (next === null) throw error;
        stage = Math.min(next, STAGES.length);
      }
    }
  }
}

/** Returns null for an outage, which affects the whole batch. After an error that one row can cause, mints are retried alone. */
function nextStage(stage: number, error: unknown): number | null {
  if (isLockTimeout(error)) return stage + 1;
  const mayBeOfOne = !(error instanceof Problem) && databaseProblem(error) === null;
  return mayBeOfOne && stage < ALONE ? ALONE : null;
}

/** The values of a blocked mint for which other mints wait. */
function namesOf(job: MintJob): string[] {
  const { actor, request } = job.context;
  const key = request === null ? [] : [JSON.stringify(['request', actor.client, request.key, request.index])];
  return [...key, ...valuesOf(job)];
}

/** The values that another request can lock: metadata ID, alternates and local name. */
function valuesOf({ command: { namingAuthority, metadata, alternates, guid, localName } }: MintJob): string[] {
  const own = guid ?? localName;
  return [
    ...(metadata === null ? [] : [JSON.stringify(['metadata', namingAuthority, metadata.key])]),
    ...alternates.map(({ key }) => JSON.stringify(['alternate', namingAuthority, key])),
    ...(own === null ? [] : [JSON.stringify(['own', namingAuthority, own])]),
  ];
}

/** Mints with a blocked name wait here. They use no connection and do not delay their batch. */
class BlockedNames {
  private readonly blocked = new Map<string, Promise<unknown>>();
  waiting = 0;

  get any(): boolean {
    return this.blocked.size > 0;
  }

  /** Waits for the mint that blocks one of the names. @returns false after a lock timeout or conflict. @throws Problem OVERLOADED */
  async freed(names: readonly string[]): Promise<boolean> {
    const ahead = names.map((name) => this.blocked.get(name)).find((mint) => mint !== undefined);
    if (ahead === undefined) return true;
    if (this.waiting >= MOST_FOLLOWERS) throw queueFull();
    this.waiting += 1;
    try {
      await ahead;
      return true;
    } catch (error) {
      return !isConflict(error);
    } finally {
      this.waiting -= 1;
    }
  }

  async hold<T>(names: readonly string[], mint: Promise<T>): Promise<T> {
    const free = names.filter((name) => !this.blocked.has(name));
    for (const name of free) this.blocked.set(name, mint);
    try {
      return await mint;
    } finally {
      for (const name of free) this.blocked.delete(name);
    }
  }
}
