import { Injectable } from '@nestjs/common';
import { requireNameRules } from './name-rules.js';
import { noneWhenViolated, partitionConflicting } from './identifier-writer.js';
import { IMPORT, importValues } from './import-statement.js';
import type { ImportedIdentifier } from '../../registry/new-identifier.js';
import { ConflictFinder, type Conflicts, expiredIn } from './conflict-finder.js';
import { noteMints } from '../touched.js';
import { ConflictRetries, Stale } from '../conflict-retries.js';
import { Transactions } from '../transactions.js';

@Injectable()
export class IdentifierImporter {
  constructor(
    private readonly transactions: Transactions,
    private readonly finder: ConflictFinder,
    private readonly retries: ConflictRetries,
  ) {}

  /**
   * Inserts and commits identifiers.
   * @throws Problem CONFLICT_IN_PROGRESS if some without a conflict could not be inserted within 5 s, or as `requireNameRules` does.
   */
  async insert<T extends object>(
    items: readonly ImportedIdentifier[],
    decide: (item: ImportedIdentifier, conflicts: Conflicts) => T,
  ): Promise<ReadonlyMap<ImportedIdentifier, T>> {
    const rejected = new Map<ImportedIdentifier, T>();
    const standby = { mustWait: false };
    let pending = items;
    await this.retries.run(async () => {
      while (pending.length > 0) {
        const { now, later } = partitionConflicting(pending.map((item) => ({ item })));
        const excluded = [...(await this.notInserted(now.map(itemOf))), ...later.map(itemOf)];
        const expired: bigint[] = [];
        for await (const [item, conflicts] of this.conflictsOf(excluded)) {
          expired.push(...expiredIn(conflicts).map(({ id }) => id));
          if (!isInTheWay(conflicts)) continue;
          standby.mustWait ||= conflicts.hasStandby;
          rejected.set(item, decide(item, conflicts));
        }
        const before = pending.length;
        pending = excluded.filter((item) => !rejected.has(item));
        // Identifiers without a conflict were not inserted, because the rules of their naming authority or conflicting rows changed.
        if (expired.length > 0 || pending.length === before) throw new Stale(expired);
      }
    });
    // Results depend on existing rows, such as the rows of unchanged identifiers, and the standby may lack these rows.
    if (standby.mustWait) await this.transactions.waitForStandby();
    return rejected;
  }

  /** Finds what would prevent the insertion of identifiers, without inserting any. Expired reservations do not count as conflicts. */
  async preview<T extends object>(
    items: readonly ImportedIdentifier[],
    decide: (item: ImportedIdentifier, conflicts: Conflicts) => T,
  ): Promise<ReadonlyMap<ImportedIdentifier, T>> {
    const rejected = new Map<ImportedIdentifier, T>();
    for await (const [item, conflicts] of this.conflictsOf(items)) {
      const expired = expiredIn(conflicts);
      const metadata = expired.find((record) => record === conflicts.metadata) ? null : conflicts.metadata;
      const alternate = expired.find((record) => record === conflicts.alternate?.record) ? null : conflicts.alternate;
      const claim = expired.find((record) => record === conflicts.claim) ? null : conflicts.claim;
      const lasting = { ...conflicts, metadata, alternate, claim };
      if (isInTheWay(lasting)) rejected.set(item, decide(item, lasting));
    }
    return rejected;
  }

  private async *conflictsOf(
    items: readonly ImportedIdentifier[],
  ): AsyncGenerator<readonly [ImportedIdentifier, Conflicts]> {
    let size = items.length;
    for (let next = 0; next < items.length;) {
      const searched = items.slice(next, next + size);
      const found = await this.finder.find(searched);
      // The statement returns only the first items if the records are large, so the next number of items depends on how many it returned.
      size = found.length === searched.length ? size * 4 : 2 * found.length;
      for (const conflicts of found) {
        const item = items[next++];
        if (item !== undefined) yield [item, conflicts];
      }
    }
  }

  private async notInserted(pending: readonly ImportedIdentifier[]): Promise<ImportedIdentifier[]> {
    const values = importValues(pending);
    const rows = await noneWhenViolated(
      this.transactions.statement(async (on) => {
        await requireNameRules(on, pending);
        noteMints(on, pending);
        return (await on.query<{ ordinal: number }>(IMPORT, values)).rows;
      }),
    );
    const inserted = new Set(rows.map(({ ordinal }) => ordinal));
    return pending.filter((_, ordinal) => !inserted.has(ordinal));
  }
}

const itemOf = <T>({ item }: { readonly item: T }): T => item;

function isInTheWay(conflicts: Conflicts): boolean {
  if (conflicts.address !== null) return true;
  const { metadata, alternate, claim, registered } = conflicts;
  return (
    expiredIn(conflicts).length === 0 && [metadata, alternate, claim, registered].some((holder) => holder !== null)
  );
}
