import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { namingAuthorityKey } from '../identifier/index.js';
import { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { setRateLimitHeaders } from './rate-limit-headers.js';
import { TokenBuckets } from './token-buckets.js';

/** Limits the identifiers minted under each naming authority, for all clients together. */
@Injectable()
export class MintBudget {
  private readonly buckets: TokenBuckets | null;

  /** @param perMinute identifiers a minute under one naming authority; 0 for no limit. */
  constructor(
    private readonly metrics: Metrics,
    private readonly authorities: NamingAuthorityCache,
    perMinute: number,
  ) {
    this.buckets = perMinute === 0 ? null : new TokenBuckets(perMinute);
  }

  /**
   * Counts identifiers before anything is written; they stay counted when the request fails.
   * @param count identifiers; more than the quota need a full bucket and leave it in debt.
   * @param reply gets the rate limit headers.
   * @throws Problem RATE_LIMITED
   */
  async charge(namingAuthority: string, count: number, reply: FastifyReply | null): Promise<void> {
    const refused = await this.chargeEach(new Map([[namingAuthority, count]]), reply);
    for (const problem of refused.values()) throw problem;
  }

  /**
   * The same for several naming authorities.
   * @param counts identifiers by naming authority.
   * @param reply gets the rate limit headers; null where they are sent already.
   * @returns RATE_LIMITED for each naming authority without enough quota.
   */
  async chargeEach(counts: ReadonlyMap<string, number>, reply: FastifyReply | null): Promise<Map<string, Problem>> {
    const refused = new Map<string, Problem>();
    const { buckets } = this;
    if (buckets === null || counts.size === 0) return refused;
    // Naming authorities that do not exist are not counted: invented names could evict the buckets of existing ones.
    const known = await this.authorities.currentFor([...counts.keys()]);
    for (const [namingAuthority, count] of counts) {
      if (known.find(namingAuthority) === undefined) continue;
      const taken = buckets.take(namingAuthorityKey(namingAuthority), count);
      if (reply !== null) setRateLimitHeaders(reply, 'naming-authority', buckets.quota, taken);
      if (taken.ok) continue;
      this.metrics.refused('naming_authority_rate');
      const detail = `At most ${buckets.quota} identifiers a minute may be minted under one naming authority. Retry in ${taken.retryAfter} s.`;
      const headers = { 'retry-after': String(taken.retryAfter) };
      refused.set(namingAuthority, new Problem('RATE_LIMITED', detail, { headers }));
    }
    return refused;
  }
}
