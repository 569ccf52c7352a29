import { Problem } from '../../problem/problem.js';

/** What a client would exceed: its share of a pool, or what is free of it. */
type Rejection = 'share' | 'free';

/**
 * Divides `limit` bytes among clients. A client holds at most `share` bytes, and at most as many bytes as then remain free. N clients
 * that hold as much as they can therefore leave 1/(N + 1) of the pool free.
 */
export class BytePool {
  private used = 0;
  private readonly held = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly share: number,
  ) {}

  /** Returns the limit that a client would exceed with `bytes` more bytes: its share or the free bytes; null if the bytes fit. */
  rejection(client: string, bytes: number): Rejection | null {
    const held = (this.held.get(client) ?? 0) + bytes;
    if (held > this.share) return 'share';
    return held > this.limit - this.used - bytes ? 'free' : null;
  }

  take(client: string, bytes: number): void {
    this.used += bytes;
    this.held.set(client, (this.held.get(client) ?? 0) + bytes);
  }

  giveBack(client: string, bytes: number): void {
    this.used -= bytes;
    const left = (this.held.get(client) ?? 0) - bytes;
    if (left > 0) this.held.set(client, left);
    else this.held.delete(client);
  }
}

/** The problem of a rejection, with the detail of its kind. */
export function poolProblem(rejection: Rejection, details: Readonly<Record<Rejection, string>>, seconds = 1): Problem {
  const code = rejection === 'share' ? 'CONCURRENCY_LIMITED' : 'OVERLOADED';
  return new Problem(code, details[rejection], { headers: { 'retry-after': String(seconds) } });
}
