/** At most this many entries that were used since they were last the oldest are moved to the end by one eviction. */
const MAX_SECOND_CHANCES = 8;

export interface Bounds {
  readonly entries: number;
  readonly octets: number;
}

export interface Sized {
  readonly octets: number;
  /** Set by a reader of the entry; an eviction resets it. */
  isUsed: boolean;
}

/**
 * A map with a largest number of entries and of octets. Above one of them, the oldest entry is removed, or moved to the end
 * if it was used ("second chance", which costs a hit less than moving it each time).
 */
export class BoundedEntries<E extends Sized> {
  private readonly byKey = new Map<string, E>();
  private sum = 0;

  /** @param onRemove is called for each entry that is removed or replaced. */
  constructor(
    private readonly bounds: Bounds,
    private readonly onRemove: (entry: E) => void = () => {},
  ) {}

  get size(): number {
    return this.byKey.size;
  }

  get octets(): number {
    return this.sum;
  }

  get(key: string): E | undefined {
    return this.byKey.get(key);
  }

  /** An entry above the bounds by itself is not stored. */
  set(key: string, entry: E): void {
    this.delete(key);
    if (entry.octets > this.bounds.octets || this.bounds.entries === 0) return;
    this.byKey.set(key, entry);
    this.sum += entry.octets;
    while (this.sum > this.bounds.octets || this.byKey.size > this.bounds.entries) this.evict();
  }

  delete(key: string): void {
    const entry = this.byKey.get(key);
    if (entry === undefined) return;
    this.byKey.delete(key);
    this.sum -= entry.octets;
    this.onRemove(entry);
  }

  clear(): void {
    for (const entry of this.byKey.values()) this.onRemove(entry);
    this.byKey.clear();
    this.sum = 0;
  }

  private evict(): void {
    let chances = MAX_SECOND_CHANCES;
    for (const [key, entry] of this.byKey) {
      if (!entry.isUsed || chances === 0) {
        this.delete(key);
        return;
      }
      chances -= 1;
      entry.isUsed = false;
      this.byKey.delete(key);
      this.byKey.set(key, entry);
    }
  }
}
