import type { Metrics } from '../metrics/metrics.js';
import { Problem } from '../problem/problem.js';
import { ipPrefixOf } from '../http/ip-prefix.js';
import { TokenBuckets } from './limits/token-buckets.js';

/** Limits failed authentications per address, but never rejects a valid key that `KeyCache` recognizes. */
export class FailedAuthentications {
  private readonly buckets: TokenBuckets | null;

  /** @param perMinute failed authentications of one address; 0 for no limit. */
  constructor(
    private readonly metrics: Metrics,
    perMinute: number,
  ) {
    this.buckets = perMinute === 0 ? null : new TokenBuckets(perMinute);
  }

  /** Counts a failure, or an attempt with a key that is not recognized. @throws Problem RATE_LIMITED */
  count(ip: string): void {
    if (this.buckets === null) return;
    const { ok, retryAfter } = this.buckets.take(ipPrefixOf(ip));
    if (ok) return;
    this.metrics.rejected('unauthenticated');
    const detail = `An address may send at most ${this.buckets.quota} requests a minute without a valid API key. Check the key, and retry in ${retryAfter} s.`;
    throw new Problem('RATE_LIMITED', detail, { headers: { 'retry-after': String(retryAfter) } });
  }

  /** Gives back the token of an attempt that succeeded or ended with a database error. */
  forgive(ip: string): void {
    this.buckets?.giveBack(ipPrefixOf(ip));
  }
}
