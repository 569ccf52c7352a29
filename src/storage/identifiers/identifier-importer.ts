import { Injectable } from '@nestjs/common';
import { IdentifierUpdater } from './identifier-updater.js';
import { noneWhenViolated } from './identifier-writer.js';
import { IMPORT_SQL, importValues } from './import-statement.js';
import type { ImportedIdentifier } from '../../registry/imported-identifier.js';
import { partitionConflicting } from './partition-conflicting.js';
import { ConflictFinder, type Conflicts, expiredIn } from './conflict-finder.js';
import { Transactions } from '../transactions.js';

/** Attempts for an identifier whose conflict no longer exists when it is looked up. */
const MAX_ATTEMPTS = 5;

interface Pending {
  readonly item: ImportedIdentifier;
  readonly ordinal: number;
}

@Injectable()
export class IdentifierImporter {
  constructor(
    private readonly transactions: Transactions,
    private readonly conflictFinder: ConflictFinder,
    private readonly changes: IdentifierUpdater,
  ) {}

  /**
   * Inserts identifiers, committed on return.
   * @returns null or the conflicts of each, in order.
   */
  async insert(items: readonly ImportedIdentifier[]): Promise<(Conflicts | null)[]> {
    const results: (Conflicts | null)[] = items.map(() => null);
    let pending: Pending[] = items.map((item, ordinal) => ({ item, ordinal }));
    for (let attempt = 1; pending.length > 0; attempt++) {
      if (attempt > items.length + MAX_ATTEMPTS) throw new Error('the conflict of an import was not found');
      pending = await this.round(pending, results);
    }
    return results;
  }

  private async round(pending: readonly Pending[], results: (Conflicts | null)[]): Promise<Pending[]> {
    const { now, later } = partitionConflicting(pending);
    const values = importValues(now.map(({ item }) => item));
    const rows = await noneWhenViolated(
      this.transactions.statement(async (on) => (await on.query<{ ordinal: number }>(IMPORT_SQL, values)).rows),
    );
    const inserted = new Set(rows.map(({ ordinal }) => ordinal));
    const excluded = [...now.filter((_, index) => !inserted.has(index)), ...later];
    if (excluded.length === 0) return [];
    const found = await this.conflictFinder.find(excluded.map(({ item }) => item));
    const expired = found.flatMap((conflicts) => expiredIn(conflicts).map(({ id }) => id));
    if (expired.length > 0)
      await this.transactions.run((transaction) => this.changes.expireLeases(transaction, expired));
    return excluded.filter(({ ordinal }, index) => {
      const conflicts = found[index];
      if (conflicts === undefined || !isInTheWay(conflicts)) return true;
      results[ordinal] = conflicts;
      return false;
    });
  }
}

function isInTheWay(conflicts: Conflicts): boolean {
  if (conflicts.address !== null) return true;
  return expiredIn(conflicts).length === 0 && (conflicts.metadata !== null || conflicts.alternate !== null);
}
