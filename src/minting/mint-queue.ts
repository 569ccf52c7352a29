import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable, isLockTimeout } from '../problem/database-errors.js';
import { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { Gathering } from '../record/gathering.js';
import { inFlight } from '../record/outcomes.js';
import { EarlierMints } from './earlier-mints.js';
import type { Minted } from './minted.js';
import { type MintJob, MintingService } from './minting.service.js';

/**
 * Two statements under way keep the database busy while one commits; 200 rows take it a few milliseconds; and 5,000 waiting
 * mints are a second's work or two, after which a client had better come back later.
 */
const LIMITS = { together: 200, inFlight: 2, waiting: 5000 };

/**
 * Mints of single requests that wait while others are written go together, as one statement and one commit. Each caller is
 * answered after the commit of its own row, and a row that fails does not fail its neighbours.
 */
@Injectable()
export class MintQueue {
  private readonly gathering: Gathering<MintJob, Minted>;

  constructor(
    minting: MintingService,
    private readonly earlier: EarlierMints,
    private readonly metrics: Metrics,
  ) {
    metrics.queueDepth('mints', () => this.gathering.depth);
    this.gathering = new Gathering<MintJob, Minted>((jobs) => minting.mintAll(jobs), LIMITS, isWorthAnAttemptAlone);
  }

  /**
   * Mints one identifier, or answers the one that an earlier request minted.
   * @throws Problem as `MintingService.mintAll` gives it, REQUEST_IN_FLIGHT when the first request with the
   * Idempotency-Key does not come to an end, OVERLOADED when too many wait.
   */
  async mint(job: MintJob): Promise<Minted> {
    try {
      const minted = await this.gathering.add(job);
      if (minted.outcome === 'existing') await this.earlier.remember(minted, job.asked);
      return minted;
    } catch (error) {
      if (error instanceof Problem && error.code === 'OVERLOADED') this.metrics.refused('overload');
      throw isLockTimeout(error) && job.asked.request !== null ? inFlight() : error;
    }
  }
}

/** An error of the database's absence is everybody's; one that a row may have caused is not its neighbours'. */
function isWorthAnAttemptAlone(error: unknown): boolean {
  return isLockTimeout(error) || !(error instanceof Problem || isDatabaseUnavailable(error));
}
