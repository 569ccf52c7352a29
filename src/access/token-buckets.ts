/** Over which time a quota is counted, in seconds. */
export const WINDOW_SECONDS = 60;

/** What became of an attempt to take tokens. */
export interface Taken {
  readonly ok: boolean;
  /** Whole tokens that are left, 0 or more. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly fullIn: number;
  /** Seconds until the same attempt would succeed, rounded up; 0 when it did. */
  readonly retryAfter: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by name, each of which holds a minute's quota and fills evenly. Whoever takes more at once than a bucket
 * can hold waits until it is full and leaves it in debt: a large request is possible, and the rate over time is the same.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  /**
   * @param quota tokens a minute, at least 1.
   * @param now the time in milliseconds, which never goes back.
   * @param most buckets that are kept; the one that was used longest ago is forgotten first, as if it were full.
   */
  constructor(
    readonly quota: number,
    private readonly now: () => number = () => performance.now(),
    private readonly most = 10_000,
  ) {}

  /** Takes tokens, all or none. */
  take(name: string, count = 1): Taken {
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

  private find(name: string, perMillisecond: number): Bucket {
    const at = this.now();
    const known = this.buckets.get(name) ?? { tokens: this.quota, at };
    const tokens = Math.min(this.quota, known.tokens + (at - known.at) * perMillisecond);
    const bucket = { tokens, at };
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > this.most && oldest !== undefined) this.buckets.delete(oldest);
    return bucket;
  }
}
