/**
 * Divides a number of bytes among clients. A client has at most its share, and at most as many bytes as are free, so
 * that N clients who take what they can leave 1/(N + 1) of the pool.
 */
export class BytePool {
  private used = 0;
  private readonly held = new Map<string, number>();

  /**
   * @param limit bytes of all clients.
   * @param share bytes of one client.
   */
  constructor(
    private readonly limit: number,
    private readonly share: number,
  ) {}

  /** Which bound rejects a client more bytes: its share, or what is free; null when it can have them. */
  rejection(client: string, bytes: number): 'share' | 'free' | null {
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
