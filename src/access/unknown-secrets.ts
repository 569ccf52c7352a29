/** Milliseconds for which a secret counts as unknown: a restored database may contain its key. */
const MAX_AGE_MS = 60_000;

/** Caches hashes of unknown secrets, separately from known keys, so that guesses do not evict keys. */
export class UnknownSecrets {
  private readonly since = new Map<string, number>();

  /** Above `most` hashes the oldest is evicted; `now` is monotonic time in milliseconds. */
  constructor(
    private readonly most = 10_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  has(hash: string): boolean {
    const at = this.since.get(hash);
    return at !== undefined && this.now() - at < MAX_AGE_MS;
  }

  add(hash: string): void {
    this.since.delete(hash);
    this.since.set(hash, this.now());
    const [oldest] = this.since.keys();
    if (this.since.size > this.most && oldest !== undefined) this.since.delete(oldest);
  }
}
