import { Injectable } from '@nestjs/common';
import { isUniqueViolation } from '../problem/database-errors.js';
import type { Problem } from '../problem/problem.js';
import { IdentifierChanges } from './identifier-changes.js';
import { IdentifierReader } from './identifier-reader.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { StoredName } from './stored-name.js';
import { taken } from './taken.js';
import { Transactions } from './transactions.js';

/** Names that an identifier was to get. */
export interface WantedNames {
  readonly metadata?: StoredName | null;
  readonly alternates?: readonly StoredName[];
}

/** Finds out after a unique violation which law a change met. */
@Injectable()
export class NameConflicts {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierChanges,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Explains why an identifier could not get names.
   * @returns METADATA_ID_TAKEN or ALTERNATE_ID_TAKEN; null when nothing is in the way any more, so that the same change
   * may succeed now.
   * @throws the error itself when it is no unique violation.
   */
  async explain(
    error: unknown,
    { id, namingAuthority }: IdentifierRecord,
    { metadata, alternates = [] }: WantedNames,
  ): Promise<Problem | null> {
    if (!isUniqueViolation(error)) throw error;
    if (metadata) {
      const holder = await this.reader.findDescribed(namingAuthority, metadata.key);
      if (holder !== null && holder.id !== id && !(await this.freed(holder, holder.metadataId === null))) {
        return taken('METADATA_ID_TAKEN', 'This metadata ID describes an identifier', holder, '/metadataId');
      }
    }
    for (const [index, { key }] of alternates.entries()) {
      const holder = (await this.reader.findByAlternates(namingAuthority, [key]))?.record ?? null;
      if (holder !== null && holder.id !== id && !(await this.freed(holder, holder.alternateIds.length === 0))) {
        const pointer = `/alternateIds/${index}`;
        return taken('ALTERNATE_ID_TAKEN', 'This alternate identifier has an identifier', holder, pointer);
      }
    }
    return null;
  }

  /** A reservation whose lease has ended shows no names any more; writing that down frees them. */
  private async freed({ id }: IdentifierRecord, isLapsed: boolean): Promise<boolean> {
    if (isLapsed) await this.transactions.run((transaction) => this.changes.lapse(transaction, [id]));
    return isLapsed;
  }
}
