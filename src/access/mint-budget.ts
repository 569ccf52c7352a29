import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { namingAuthorityKey } from '../identifier/index.js';
import { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { tellQuota } from './rate-fields.js';
import { TokenBuckets } from './token-buckets.js';

/** How many identifiers may be asked for under each naming authority, whoever asks. */
@Injectable()
export class MintBudget {
  private readonly buckets: TokenBuckets | null;

  /** @param perMinute identifiers a minute under one naming authority; 0 for any number. */
  constructor(
    private readonly metrics: Metrics,
    perMinute: number,
  ) {
    this.buckets = perMinute === 0 ? null : new TokenBuckets(perMinute);
  }

  /**
   * Counts identifiers that are about to be minted, registered or reserved, before anything is written. They stay counted
   * when nothing new comes of it.
   * @param count identifiers; more than a minute's quota need all of it, and are made up for afterwards.
   * @param reply is told of what is left; null where the headers are sent already.
   * @throws Problem RATE_LIMITED
   */
  charge(namingAuthority: string, count: number, reply: FastifyReply | null): void {
    if (this.buckets === null) return;
    const taken = this.buckets.take(namingAuthorityKey(namingAuthority), count);
    if (reply !== null) tellQuota(reply, 'naming-authority', this.buckets.quota, taken);
    if (taken.ok) return;
    this.metrics.refused('naming_authority_rate');
    const detail = `Under one naming authority ${this.buckets.quota} identifiers a minute may be minted; send this request again in ${taken.retryAfter} s.`;
    throw new Problem('RATE_LIMITED', detail, { headers: { 'retry-after': String(taken.retryAfter) } });
  }
}
