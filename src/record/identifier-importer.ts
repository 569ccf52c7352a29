import { Injectable } from '@nestjs/common';
import { IdentifierChanges } from './identifier-changes.js';
import { noneWhenViolated } from './identifier-writer.js';
import { IMPORT_SQL, importValues } from './import-statement.js';
import type { ImportedIdentifier } from './imported-identifier.js';
import { withoutMeetings } from './meetings.js';
import { LawsMet, type MetLaws, lapsedIn } from './met-laws.js';
import { Transactions } from './transactions.js';

/** How often an identifier is tried again that met something which was gone when it was looked for. */
const MAX_ATTEMPTS = 5;

interface Pending {
  readonly item: ImportedIdentifier;
  /** Where its result belongs. */
  readonly place: number;
}

/** Inserts identifiers as they were in another registry. */
@Injectable()
export class IdentifierImporter {
  constructor(
    private readonly transactions: Transactions,
    private readonly laws: LawsMet,
    private readonly changes: IdentifierChanges,
  ) {}

  /**
   * Inserts what can be inserted; what is inserted is committed when this returns.
   * @returns for each, in order: null when it was inserted, else what is in its way.
   */
  async insert(items: readonly ImportedIdentifier[]): Promise<(MetLaws | null)[]> {
    const results: (MetLaws | null)[] = items.map(() => null);
    let pending: Pending[] = items.map((item, place) => ({ item, place }));
    for (let attempt = 1; pending.length > 0; attempt++) {
      if (attempt > items.length + MAX_ATTEMPTS) throw new Error('what is in the way of an import cannot be found');
      pending = await this.round(pending, results);
    }
    return results;
  }

  /** @returns what is to be tried again. */
  private async round(pending: readonly Pending[], results: (MetLaws | null)[]): Promise<Pending[]> {
    const { now, later } = withoutMeetings(pending);
    const values = importValues(now.map(({ item }) => item));
    const rows = await noneWhenViolated(
      this.transactions.statement(async (on) => (await on.query<{ place: number }>(IMPORT_SQL, values)).rows),
    );
    const inserted = new Set(rows.map(({ place }) => place));
    const left = [...now.filter((_, index) => !inserted.has(index)), ...later];
    if (left.length === 0) return [];
    const met = await this.laws.find(left.map(({ item }) => item));
    const lapsed = met.flatMap((laws) => lapsedIn(laws).map(({ id }) => id));
    if (lapsed.length > 0) await this.transactions.run((transaction) => this.changes.lapse(transaction, lapsed));
    return left.filter(({ place }, index) => {
      const laws = met[index];
      if (laws === undefined || !isInTheWay(laws)) return true;
      results[place] = laws;
      return false;
    });
  }
}

function isInTheWay(laws: MetLaws): boolean {
  if (laws.address !== null) return true;
  return lapsedIn(laws).length === 0 && (laws.metadata !== null || laws.alternate !== null);
}
