import { namingAuthorityKey } from '@mintmark/identifier';
import { Metrics } from '../../metrics/metrics.js';
import { Problem } from '../../problem/problem.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { type ChargeReport, TokenBuckets } from './token-buckets.js';

/** Numbers of identifiers by naming authority. */
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

  /**
   * Counts identifiers before they are minted. Ignores naming authorities that `known` lacks, because invented names could evict the
   * buckets of existing ones. `report` is also called on rejection.
   * @param counts numbers of identifiers by naming authority.
   * @returns a Problem RATE_LIMITED for each naming authority without enough quota.
   */
  charge(counts: Charge, known: NamingAuthoritySnapshot, report?: ChargeReport): Map<string, Problem> {
    const rejected = new Map<string, Problem>();
    const { buckets } = this;
    if (buckets === null) return rejected;
    for (const [namingAuthority, count] of counts) {
      if (known.find(namingAuthority) === undefined) continue;
      const taken = buckets.take(namingAuthorityKey(namingAuthority), count);
      report?.(buckets.quota, taken);
      if (taken.ok) continue;
      this.metrics.rejected('naming_authority_rate');
      const detail = `At most ${buckets.quota} identifiers a minute may be minted under one naming authority. Retry in ${taken.retryAfter} s.`;
      const headers = { 'retry-after': String(taken.retryAfter) };
      rejected.set(namingAuthority, new Problem('RATE_LIMITED', detail, { headers }));
    }
    return rejected;
  }

  /** Gives back what was charged for mints that created nothing: replays, existing identifiers and rejected items. */
  refund(counts: Charge): void {
    for (const [namingAuthority, count] of counts) this.buckets?.giveBack(namingAuthorityKey(namingAuthority), count);
  }
}
