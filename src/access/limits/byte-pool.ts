import type { ServerResponse } from 'node:http';
import { Problem } from '../../problem/problem.js';

type Rejection = 'share' | 'free';

/** Divides `limit` bytes, or places, among clients. A client can hold at most `share`, and no more than remain free for others. */
export class BytePool {
  private used = 0;
  private readonly held = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly share: number,
  ) {}

  /** Returns the limit that a client would exceed with `bytes` more bytes; null if they fit. */
  rejection(client: string, bytes: number): Rejection | null {
    const held = (this.held.get(client) ?? 0) + bytes;
    if (held > this.share) return 'share';
    return held > this.limit - this.used - bytes ? 'free' : null;
  }

  take(client: string, bytes: number): void {
    this.used += bytes;
    this.held.set(client, (this.held.get(client) ?? 0) + bytes);
  }

  /** Takes bytes, and returns them to the pool when the response closes. */
  hold(client: string, bytes: number, response: Pick<ServerResponse, 'once'>): void {
    this.take(client, bytes);
    response.once('close', () => {
      this.giveBack(client, bytes);
    });
  }

  giveBack(client: string, bytes: number): void {
    this.used -= bytes;
    const left = (this.held.get(client) ?? 0) - bytes;
    if (left > 0) this.held.set(client, left);
    else this.held.delete(client);
  }
}

export function poolProblem(rejection: Rejection, details: Readonly<Record<Rejection, string>>, seconds = 1): Problem {
  const code = rejection === 'share' ? 'CONCURRENCY_LIMITED' : 'OVERLOADED';
  return new Problem(code, details[rejection], { headers: { 'retry-after': String(seconds) } });
}
