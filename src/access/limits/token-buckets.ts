import { LRUCache } from 'lru-cache';

export const WINDOW_SECONDS = 60;

export interface TakeResult {
  readonly ok: boolean;
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly fullIn: number;
  /** Seconds until the same attempt would succeed, rounded up; 0 if the attempt succeeded. */
  readonly retryAfter: number;
}

/** Receives the state of a rate limit. @param quota identifiers a minute. */
export type ChargeReport = (quota: number, taken: TakeResult) => void;

interface Bucket {
  tokens: number;
  at: number;
}

/** Token buckets by name. A request for more than the quota of a minute needs a full bucket and leaves it in debt. */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;

  /** @param quota tokens a minute. @param most maximum number of buckets; an evicted bucket is full at its next use. */
  constructor(
    readonly quota: number,
    private readonly now: () => number = () => performance.now(),
    most = 10_000,
  ) {
    this.buckets = new LRUCache({ max: most });
  }

  take(name: string, count = 1): TakeResult {
    const perMillisecond = this.quota / (WINDOW_SECONDS * 1000);
    const seconds = (tokens: number) => Math.max(0, Math.ceil(tokens / perMillisecond / 1000));
    const bucket = this.find(name, perMillisecond);
    const missing = Math.min(count, this.quota) - bucket.tokens;
    const ok = missing <= 0;
    if (ok) bucket.tokens -= count;
    return {
      ok,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      fullIn: seconds(this.quota - bucket.tokens),
      retryAfter: ok ? 0 : seconds(missing),
    };
  }

  giveBack(name: string, count = 1): void {
    // An evicted or unused bucket is full.
    if (this.buckets.has(name)) this.find(name, this.quota / (WINDOW_SECONDS * 1000)).tokens += count;
  }

  private find(name: string, perMillisecond: number): Bucket {
    const at = this.now();
    const known = this.buckets.get(name) ?? { tokens: this.quota, at };
    const tokens = Math.min(this.quota, known.tokens + (at - known.at) * perMillisecond);
    const bucket = { tokens, at };
    this.buckets.set(name, bucket);
    return bucket;
  }
}
