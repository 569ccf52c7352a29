import { Inject, Injectable } from '@nestjs/common';
import { rowsLost } from '../../problem/database-errors.js';
import { IdentifierUpdater } from './identifier-updater.js';
import { noneWhenViolated, partitionConflicting } from './identifier-writer.js';
import { IMPORT, importValues } from './import-statement.js';
import type { ImportedIdentifier } from '../../registry/imported-identifier.js';
import { type Conflicts, expiredIn } from './conflicts.js';
import { noteMints } from '../touched.js';
import { Transactions } from '../transactions.js';
import { WRITE_CLIENT, type WriteClient } from '../write-client.js';

/** Attempts for an identifier whose conflict no longer exists when it is looked up. */
const MAX_ATTEMPTS = 5;

interface Pending {
  readonly item: ImportedIdentifier;
}

@Injectable()
export class IdentifierImporter {
  constructor(
    private readonly transactions: Transactions,
    @Inject(WRITE_CLIENT) private readonly prisma: WriteClient,
    private readonly changes: IdentifierUpdater,
  ) {}

  /** Inserts identifiers, committed on return. @returns the conflicts of those that were not inserted. */
  async insert(items: readonly ImportedIdentifier[]): Promise<ReadonlyMap<ImportedIdentifier, Conflicts>> {
    const refused = new Map<ImportedIdentifier, Conflicts>();
    let pending: readonly Pending[] = items.map((item) => ({ item }));
    for (let attempt = 1; pending.length > 0; attempt++) {
      // Without a conflict, their naming authority is gone or has other rules.
      if (attempt > items.length + MAX_ATTEMPTS) throw rowsLost();
      const { now, later } = partitionConflicting(pending);
      const excluded = [...(await this.notInserted(now)), ...later];
      for (const [item, conflicts] of await this.settle(excluded)) {
        if (isInTheWay(conflicts)) refused.set(item, conflicts);
      }
      pending = excluded.filter(({ item }) => !refused.has(item));
    }
    // An identifier that is unchanged is a result too.
    if ([...refused.values()].some(({ hasStandby }) => hasStandby)) await this.transactions.waitForStandby();
    return refused;
  }

  /** The conflicts that prevent the insertion of identifiers, without inserting any; leases that have ended are no conflict. */
  async conflictsOf(items: readonly ImportedIdentifier[]): Promise<ReadonlyMap<ImportedIdentifier, Conflicts>> {
    const found = items.length === 0 ? [] : await this.prisma.identifier.findConflicts(items);
    return new Map(
      found.flatMap((conflicts, index): [ImportedIdentifier, Conflicts][] => {
        const expired = expiredIn(conflicts);
        const metadata = expired.find((record) => record === conflicts.metadata) ? null : conflicts.metadata;
        const alternate = expired.find((record) => record === conflicts.alternate?.record) ? null : conflicts.alternate;
        const claim = expired.find((record) => record === conflicts.claim) ? null : conflicts.claim;
        const lasting = { ...conflicts, metadata, alternate, claim };
        const item = items[index];
        return item === undefined || !isInTheWay(lasting) ? [] : [[item, lasting]];
      }),
    );
  }

  /** Inserts what can be inserted, and returns the others. */
  private async notInserted(pending: readonly Pending[]): Promise<Pending[]> {
    const values = importValues(pending.map(({ item }) => item));
    const rows = await noneWhenViolated(
      this.transactions.statement(async (on) => {
        noteMints(
          on,
          pending.map(({ item }) => item),
        );
        return (await on.query<{ ordinal: number }>(IMPORT, values)).rows;
      }),
    );
    const inserted = new Set(rows.map(({ ordinal }) => ordinal));
    return pending.filter((_, ordinal) => !inserted.has(ordinal));
  }

  /** Finds conflicts, and records the expired leases among them. */
  private async settle(excluded: readonly Pending[]): Promise<[ImportedIdentifier, Conflicts][]> {
    if (excluded.length === 0) return [];
    const found = await this.prisma.identifier.findConflicts(excluded.map(({ item }) => item));
    const expired = found.flatMap((conflicts) => expiredIn(conflicts).map(({ id }) => id));
    if (expired.length > 0)
      await this.transactions.run((transaction) => this.changes.expireLeases(transaction, expired));
    return excluded.flatMap(({ item }, index) => {
      const conflicts = found[index];
      return conflicts === undefined ? [] : [[item, conflicts]];
    });
  }
}

function isInTheWay(conflicts: Conflicts): boolean {
  if (conflicts.address !== null) return true;
  const { metadata, alternate, claim, registered } = conflicts;
  return (
    expiredIn(conflicts).length === 0 && [metadata, alternate, claim, registered].some((holder) => holder !== null)
  );
}
