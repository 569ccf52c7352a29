/**
 * Divides a number of octets among clients. A client has at most its share, and at most as many octets as are free, so
 * that N clients who take what they can leave 1/(N + 1) of the pool.
 */
export class OctetPool {
  private used = 0;
  private readonly held = new Map<string, number>();

  /**
   * @param limit octets of all clients.
   * @param share octets of one client.
   */
  constructor(
    private readonly limit: number,
    private readonly share: number,
  ) {}

  /** Which bound refuses a client more octets: its share, or what is free; null when it can have them. */
  refusal(client: string, octets: number): 'share' | 'free' | null {
    const held = (this.held.get(client) ?? 0) + octets;
    if (held > this.share) return 'share';
    return held > this.limit - this.used - octets ? 'free' : null;
  }

  take(client: string, octets: number): void {
    this.used += octets;
    this.held.set(client, (this.held.get(client) ?? 0) + octets);
  }

  giveBack(client: string, octets: number): void {
    this.used -= octets;
    const left = (this.held.get(client) ?? 0) - octets;
    if (left > 0) this.held.set(client, left);
    else this.held.delete(client);
  }
}
