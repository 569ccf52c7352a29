import { Injectable } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics.js';
import { conflictInProgress, databaseProblem, isConflict, isLockTimeout } from '../../problem/database-errors.js';
import { Problem } from '../../problem/problem.js';
import { Batcher, type BatcherLimits } from '../../storage/batcher.js';
import { requestInFlight } from '../../storage/idempotency.js';
import type { LockWait } from '../../storage/transactions.js';
import { BlockedNames } from './blocked-names.js';
import { namesOf } from './mint-names.js';
import type { MintOutcome } from './mint-outcome.js';
import { type MintJob, MintingService } from './minting.service.js';
import { isInFlight, waitInFlight } from './wait-in-flight.js';

/** How mints are sent, and how long their statement waits for a lock. */
interface Stage extends BatcherLimits {
  readonly lockWait: LockWait;
}

/**
 * Two concurrent batches keep the database busy during a commit; 200 rows take it a few milliseconds; 5,000 waiting
 * mints take one or two seconds.
 */
const GROUPS: Stage = { maxBatchSize: 200, maxConcurrentBatches: 2, maxQueueLength: 5000, lockWait: 'brief' };

/**
 * Batches that timed out on a lock wrote nothing. Their mints are sent again beside the queue, in smaller batches and
 * then alone, until the blocked ones are separated.
 */
const STAGES: readonly Stage[] = [
  GROUPS,
  { maxBatchSize: 16, maxConcurrentBatches: 1, maxQueueLength: 5000, lockWait: 10 },
  { maxBatchSize: 1, maxConcurrentBatches: 1, maxQueueLength: 5000, lockWait: 10 },
];

const ALONE = STAGES.length - 1;

/** Blocked mints wait for their lock in turns, on two connections of the general pool. */
const WAITING: Stage = { maxBatchSize: 1, maxConcurrentBatches: 2, maxQueueLength: 40, lockWait: 250 };

/** Maximum time a mint waits for a lock in all its turns, in milliseconds. */
const MOST_WAIT_MS = 4000;

/** Maximum number of mints that wait for another one with the same names. */
const MOST_FOLLOWERS = 5000;

interface Turn {
  readonly job: MintJob;
  readonly deadline: number;
}

/**
 * Coalesces single mints that wait while others are written into one statement and one commit. Each caller gets its
 * response after the commit of its row; a row that fails or waits for a lock does not delay the others.
 */
@Injectable()
export class MintQueue {
  private readonly stages: readonly Batcher<MintJob, MintOutcome>[];
  private readonly waiting: Batcher<Turn, MintOutcome>;
  private readonly blocked = new BlockedNames();

  constructor(
    minting: MintingService,
    private readonly metrics: Metrics,
  ) {
    this.stages = STAGES.map((stage) => new Batcher((jobs) => minting.mintEach(jobs, stage.lockWait), stage));
    this.waiting = new Batcher(async (turns) => {
      if (turns.some(({ deadline }) => Date.now() > deadline)) throw conflictInProgress();
      const jobs = turns.map(({ job }) => job);
      return minting.mintEach(jobs, WAITING.lockWait);
    }, WAITING);
    metrics.queueDepth('mints', () =>
      [...this.stages, this.waiting].reduce((sum, { depth }) => sum + depth, this.blocked.waiting),
    );
  }

  /**
   * Mints one identifier, or returns the one of an earlier request.
   * @throws Problem as `MintingService.mintAll`; after the lock timeout REQUEST_IN_FLIGHT with an idempotency key,
   * otherwise CONFLICT_IN_PROGRESS; OVERLOADED when the queue is full.
   */
  async mint(job: MintJob): Promise<MintOutcome> {
    try {
      const minted = await waitInFlight(
        () => this.settle(job).catch((error: unknown) => refusedInFlight(error)),
        (result) => !isInFlight(result),
      );
      if (minted instanceof Problem) throw minted;
      return minted;
    } catch (error) {
      if (error instanceof Problem && error.code === 'OVERLOADED') this.metrics.refused('overload');
      if (!isConflict(error)) throw error;
      throw job.context.request === null ? conflictInProgress() : requestInFlight();
    }
  }

  private async settle(job: MintJob): Promise<MintOutcome> {
    const names = namesOf(job);
    for (let stage = 0; ;) {
      if (!(await this.blocked.freed(names, MOST_FOLLOWERS))) throw conflictInProgress();
      const gathering = this.stages[stage];
      if (gathering === undefined) return this.blocked.hold(names, this.waitForLock(job));
      try {
        return await gathering.add(job);
      } catch (error) {
        const next = nextStage(stage, error);
        if (next === null) throw error;
        stage = next;
      }
    }
  }

  /** In turns, so that a mint with a short wait is not behind one with a long wait. */
  private async waitForLock(job: MintJob): Promise<MintOutcome> {
    const deadline = Date.now() + MOST_WAIT_MS;
    for (;;) {
      try {
        return await this.waiting.add({ job, deadline });
      } catch (error) {
        if (error instanceof Problem && error.code === 'OVERLOADED') throw conflictInProgress();
        if (!isLockTimeout(error) || Date.now() > deadline) throw error;
      }
    }
  }
}

function refusedInFlight(error: unknown): Problem {
  if (error instanceof Problem && isInFlight(error)) return error;
  throw error;
}

/** An outage concerns every mint of the batch; an error that a row can cause concerns only that row. */
function nextStage(stage: number, error: unknown): number | null {
  if (isLockTimeout(error)) return stage + 1;
  const mayBeOfOne = !(error instanceof Problem) && databaseProblem(error) === null;
  return mayBeOfOne && stage < ALONE ? ALONE : null;
}
