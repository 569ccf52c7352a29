/** Changed identifiers and new names to remember while reads are under way. */
const MAX_REMEMBERED = 10_000;

/**
 * Numbers invalidations, to tell whether one concerns what a read returns that began earlier. The number of a read is
 * `current` at its beginning.
 */
export class Invalidations {
  private count = 0;
  /** The last invalidation of everything. */
  private whole = 0;
  /** By the ID of an identifier, or by the key of a new name. */
  private readonly identifiers = new Map<bigint | string, number>();
  private readonly namingAuthorities = new Map<string, number>();

  get current(): number {
    return this.count;
  }

  /** The naming authorities that are remembered until everything is invalidated. */
  get size(): number {
    return this.namingAuthorities.size;
  }

  /** @param identifier the ID, or the key of a name that had none. */
  ofIdentifier(identifier: bigint | string): void {
    this.count += 1;
    // In the order of their numbers, for `forgetUpTo`.
    this.identifiers.delete(identifier);
    this.identifiers.set(identifier, this.count);
    if (this.identifiers.size > MAX_REMEMBERED) this.ofReads();
  }

  ofNamingAuthority(prefix: string): void {
    this.count += 1;
    this.namingAuthorities.set(prefix, this.count);
  }

  ofEverything(): void {
    this.namingAuthorities.clear();
    this.ofReads();
  }

  /** Whether the naming authority of an identifier was changed after a read of it began. */
  concernsNamingAuthority(prefix: string, began: number): boolean {
    return this.namingAuthorities.size > 0 && (this.namingAuthorities.get(prefix) ?? 0) > began;
  }

  /**
   * Whether a read that began earlier may miss a change.
   * @param key the key of its name.
   * @param found what it returned.
   */
  concernsRead(
    key: string,
    found: { readonly id: bigint; readonly namingAuthority: string } | null,
    began: number,
  ): boolean {
    if (this.whole > began) return true;
    if (found === null) return (this.identifiers.get(key) ?? 0) > began;
    return (this.identifiers.get(found.id) ?? 0) > began || this.concernsNamingAuthority(found.namingAuthority, began);
  }

  /** Forgets identifiers that were changed before the oldest read began. */
  forgetUpTo(oldest: number): void {
    for (const [id, number] of this.identifiers) {
      if (number > oldest) return;
      this.identifiers.delete(id);
    }
  }

  private ofReads(): void {
    this.count += 1;
    this.whole = this.count;
    this.identifiers.clear();
  }
}
