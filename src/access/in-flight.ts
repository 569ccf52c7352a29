import type { ServerResponse } from 'node:http';

/** How many requests of each client are under way. It remembers no client that has none. */
export class InFlight {
  private readonly counts = new Map<string, number>();

  /** @param most requests of one client at once; 0 for any number. */
  constructor(readonly most: number) {}

  /**
   * Counts a request until its response has ended or its client has hung up.
   * @returns false when the client has as many under way as it may; the request is not counted then.
   */
  enter(client: string, response: Pick<ServerResponse, 'closed' | 'once'>): boolean {
    // A client that hung up already would never be counted out.
    if (this.most === 0 || response.closed) return true;
    const count = this.counts.get(client) ?? 0;
    if (count >= this.most) return false;
    this.counts.set(client, count + 1);
    response.once('close', () => {
      this.leave(client);
    });
    return true;
  }

  private leave(client: string): void {
    const left = (this.counts.get(client) ?? 1) - 1;
    if (left === 0) this.counts.delete(client);
    else this.counts.set(client, left);
  }
}
