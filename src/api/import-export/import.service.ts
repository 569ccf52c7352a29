import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { isCausedByData } from '../../problem/database-errors.js';
import type { ImportedIdentifier } from '../../registry/imported-identifier.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { Conflicts } from '../../storage/identifiers/conflict-finder.js';
import { IdentifierImporter } from '../../storage/identifiers/identifier-importer.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { type TransferRecord, isSame } from './transfer-record.js';

export interface ImportCommand {
  readonly item: ImportedIdentifier;
  readonly record: TransferRecord;
  /** Attributes that must be equal in a registered identifier; all when absent. */
  readonly compared?: readonly string[];
}

/** "unchanged": the identifier is registered with the same attributes; "failed": an error that no rule foresees. */
export type ImportOutcome =
  | { readonly kind: 'imported' | 'unchanged' }
  | { readonly kind: 'conflict'; readonly conflicts: Conflicts }
  | { readonly kind: 'failed'; readonly error: unknown };

@Injectable()
export class ImportService {
  constructor(
    private readonly importer: IdentifierImporter,
    private readonly authorities: NamingAuthorityCache,
  ) {}

  /** The naming authorities for a chunk, including those that another process has just created. */
  async namingAuthorities(actor: Principal): Promise<NamingAuthoritySnapshot> {
    return actor.viewOf(await this.authorities.refresh('all'));
  }

  /**
   * Imports a chunk, committed on return. Where its statement fails because of one identifier, halves are tried until
   * that one is alone.
   */
  async import(commands: readonly ImportCommand[]): Promise<ReadonlyMap<ImportCommand, ImportOutcome>> {
    try {
      const refused = await this.importer.insert(commands.map(({ item }) => item));
      return new Map(commands.map((command) => [command, outcomeOf(command, refused.get(command.item))]));
    } catch (error) {
      if (commands.length === 0 || !isCausedByData(error)) throw error;
      if (commands.length === 1) return new Map(commands.map((command) => [command, { kind: 'failed', error }]));
      const middle = Math.ceil(commands.length / 2);
      const first = await this.import(commands.slice(0, middle));
      return new Map([...first, ...(await this.import(commands.slice(middle)))]);
    }
  }
}

function outcomeOf({ record, compared }: ImportCommand, conflicts: Conflicts | undefined): ImportOutcome {
  if (conflicts === undefined) return { kind: 'imported' };
  const { address } = conflicts;
  return address !== null && isSame(address, record, compared)
    ? { kind: 'unchanged' }
    : { kind: 'conflict', conflicts };
}
