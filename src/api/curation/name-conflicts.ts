import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../../problem/database-errors.js';
import type { Problem } from '../../problem/problem.js';
import { IdentifierUpdater } from '../../storage/identifiers/identifier-updater.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import { conflictProblem } from '../representation/conflict-problem.js';
import { Transactions } from '../../storage/transactions.js';

/** The names requested for an identifier. */
export interface RequestedNames {
  readonly metadata?: CanonicalName | null;
  readonly alternates?: readonly CanonicalName[];
}

/** Finds the constraint that a change violated. */
@Injectable()
export class NameConflicts {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierUpdater,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Explains a unique violation.
   * @returns METADATA_ID_TAKEN or ALTERNATE_ID_TAKEN; null when the conflict is gone, so that a retry may succeed.
   * @throws the error itself when it is not a unique violation.
   */
  async explain(
    error: unknown,
    { id, namingAuthority }: IdentifierRecord,
    { metadata, alternates = [] }: RequestedNames,
  ): Promise<Problem | null> {
    if (!isUniqueViolation(error)) throw error;
    if (metadata) {
      const holder = await this.reader.findByMetadataId(namingAuthority, metadata.key);
      if (holder !== null && holder.id !== id && !(await this.freed(holder, holder.metadataId === null))) {
        return conflictProblem('METADATA_ID_TAKEN', 'This metadata ID is used by an identifier', holder, '/metadataId');
      }
    }
    for (const [index, { key }] of alternates.entries()) {
      const holder = (await this.reader.findByAlternates(namingAuthority, [key]))?.record ?? null;
      if (holder !== null && holder.id !== id && !(await this.freed(holder, holder.alternateIds.length === 0))) {
        const pointer = `/alternateIds/${index}`;
        return conflictProblem(
          'ALTERNATE_ID_TAKEN',
          'This alternate identifier is used by an identifier',
          holder,
          pointer,
        );
      }
    }
    return null;
  }

  /** An expired reservation releases its names when its expiry is recorded. */
  private async freed({ id }: IdentifierRecord, isExpired: boolean): Promise<boolean> {
    if (isExpired) await this.transactions.run((transaction) => this.changes.expireLeases(transaction, [id]));
    return isExpired;
  }
}
