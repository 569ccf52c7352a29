import { Metrics } from '../../metrics/metrics.js';
import { Problem } from '../../problem/problem.js';
import { type ChargeReport, TokenBuckets } from './token-buckets.js';

/** Numbers of new identifiers by naming authority, named as in the database. */
export type Charge = ReadonlyMap<string, number>;

/** Limits the identifiers minted under each naming authority, for all clients together. */
export class MintBudget {
  private readonly buckets: TokenBuckets | null;

  /** @param perMinute identifiers a minute under one naming authority; 0 for no limit. */
  constructor(
    private readonly metrics: Metrics,
    perMinute: number,
  ) {
    this.buckets = perMinute === 0 ? null : new TokenBuckets(perMinute);
  }

  get isLimited(): boolean {
    return this.buckets !== null;
  }

  /**
   * Counts identifiers, for all naming authorities or for none. `report` is also called for a rejection.
   * @returns a Problem RATE_LIMITED if a naming authority does not have enough quota.
   */
  charge(counts: Charge, report?: ChargeReport): Problem | null {
    const { buckets } = this;
    if (buckets === null) return null;
    const all = [...counts].map(([prefix, count]) => ({ prefix, count, taken: buckets.take(prefix, count) }));
    const [least] = all
      .map(({ taken }) => taken)
      .sort((a, b) => b.retryAfter - a.retryAfter || a.remaining - b.remaining);
    if (least === undefined) return null;
    report?.(buckets.quota, least);
    if (least.ok) return null;
    for (const { prefix, count, taken } of all) if (taken.ok) buckets.giveBack(prefix, count);
    this.metrics.rejected('naming_authority_rate');
    const detail = `At most ${buckets.quota} identifiers a minute may be minted under one naming authority. Retry in ${least.retryAfter} s.`;
    return new Problem('RATE_LIMITED', detail, { headers: { 'retry-after': String(least.retryAfter) } });
  }

  /** Returns the problem of a charge without charging, for work that must not begin if it will be rejected. */
  check(counts: Charge, report?: ChargeReport): Problem | null {
    const overQuota = this.charge(counts, report);
    if (overQuota === null) this.refund(counts);
    return overQuota;
  }

  /** Gives back what was charged for identifiers that were not created. */
  refund(counts: Charge): void {
    for (const [prefix, count] of counts) this.buckets?.giveBack(prefix, count);
  }
}
