import { isConflict } from '../../problem/database-errors.js';
import { queueFull } from '../../storage/batcher.js';

/**
 * Names whose mint waits for the lock of another transaction. A mint with one of these names waits here instead of in
 * the database, without a connection and without delaying its batch.
 */
export class BlockedNames {
  private readonly blocked = new Map<string, Promise<unknown>>();
  private followers = 0;

  get waiting(): number {
    return this.followers;
  }

  /**
   * Waits while a mint with one of these names waits for its lock.
   * @returns false when that mint timed out.
   * @throws Problem OVERLOADED when `most` wait already.
   */
  async freed(names: readonly string[], most: number): Promise<boolean> {
    const ahead = names.map((name) => this.blocked.get(name)).find((mint) => mint !== undefined);
    if (ahead === undefined) return true;
    if (this.followers >= most) throw queueFull();
    this.followers += 1;
    try {
      await ahead;
      return true;
    } catch (error) {
      return !isConflict(error);
    } finally {
      this.followers -= 1;
    }
  }

  /** Blocks names until the mint that has them is finished. */
  async hold<T>(names: readonly string[], mint: Promise<T>): Promise<T> {
    const free = names.filter((name) => !this.blocked.has(name));
    for (const name of free) this.blocked.set(name, mint);
    try {
      return await mint;
    } finally {
      for (const name of free) this.blocked.delete(name);
    }
  }
}
