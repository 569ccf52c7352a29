import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { namingAuthorityKey } from '../identifier/index.js';
import { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { tellQuota } from './rate-fields.js';
import { TokenBuckets } from './token-buckets.js';

/** How many identifiers may be asked for under each naming authority, whoever asks. */
@Injectable()
export class MintBudget {
  private readonly buckets: TokenBuckets | null;

  /** @param perMinute identifiers a minute under one naming authority; 0 for any number. */
  constructor(
    private readonly metrics: Metrics,
    private readonly authorities: NamingAuthorities,
    perMinute: number,
  ) {
    this.buckets = perMinute === 0 ? null : new TokenBuckets(perMinute);
  }

  /**
   * Counts identifiers that are about to be minted, registered or reserved, before anything is written. They stay counted
   * when nothing new comes of it.
   * @param count identifiers; more than a minute's quota need all of it, and are made up for afterwards.
   * @param reply is told of what is left.
   * @throws Problem RATE_LIMITED
   */
  async charge(namingAuthority: string, count: number, reply: FastifyReply | null): Promise<void> {
    const refused = await this.chargeEach(new Map([[namingAuthority, count]]), reply);
    for (const problem of refused.values()) throw problem;
  }

  /**
   * The same for several naming authorities.
   * @param counts identifiers by naming authority.
   * @param reply is told of what is left; null where the headers are sent already.
   * @returns RATE_LIMITED for each naming authority that has not so many left.
   */
  async chargeEach(counts: ReadonlyMap<string, number>, reply: FastifyReply | null): Promise<Map<string, Problem>> {
    const refused = new Map<string, Problem>();
    const { buckets } = this;
    if (buckets === null || counts.size === 0) return refused;
    // Nothing is minted under a naming authority that does not exist, and as many of them as a client can make up would
    // push out the buckets of those that do.
    const known = await this.authorities.currentFor([...counts.keys()]);
    for (const [namingAuthority, count] of counts) {
      if (known.find(namingAuthority) === undefined) continue;
      const taken = buckets.take(namingAuthorityKey(namingAuthority), count);
      if (reply !== null) tellQuota(reply, 'naming-authority', buckets.quota, taken);
      if (taken.ok) continue;
      this.metrics.refused('naming_authority_rate');
      const detail = `Under one naming authority ${buckets.quota} identifiers a minute may be minted; send this request again in ${taken.retryAfter} s.`;
      const headers = { 'retry-after': String(taken.retryAfter) };
      refused.set(namingAuthority, new Problem('RATE_LIMITED', detail, { headers }));
    }
    return refused;
  }
}
