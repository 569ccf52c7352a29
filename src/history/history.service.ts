import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { Problem } from '../problem/problem.js';
import { type FoundChanges, ChangeReader } from '../storage/changes/change-reader.js';
import { requirePrefix } from '../registry/naming-authority.js';
import { resolveIdentifier } from '../registry/resolve-identifier.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import { type ChangeSummary, HistoryReads } from '../storage/replica/reads.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';

export interface History extends FoundChanges {
  /** The canonical identifier, `NA/local`, or the prefix of the naming authority. */
  readonly of: string;
}

export interface HistoryPage {
  /** The last version of the previous page; 0 for the first page. */
  readonly afterVersion: number;
  readonly limit: number;
  readonly pointer: string;
}

@Injectable()
export class HistoryService {
  constructor(
    private readonly changes: ChangeReader,
    private readonly reader: IdentifierReader,
    private readonly namingAuthorities: NamingAuthorityCache,
    private readonly summaries: HistoryReads,
  ) {}

  /** The last changes of an identifier, newest first. */
  async last({ id }: IdentifierRecord, limit: number, { seesActors }: Principal): Promise<ChangeSummary[]> {
    return this.summaries.lastOfIdentifier(id, limit, seesActors);
  }

  /**
   * @param text the identifier in any form; withdrawn identifiers are included.
   * @throws Problem IDENTIFIER_NOT_FOUND, also for a hidden identifier, or a syntax code.
   */
  async ofIdentifier(
    text: string,
    { afterVersion, limit, pointer }: HistoryPage,
    principal: Principal,
  ): Promise<History> {
    const { record } = await this.namingAuthorities.lookUp((known) =>
      resolveIdentifier(text, principal.viewOf(known), this.reader, pointer),
    );
    return { of: nativeText(record), ...(await this.changes.ofIdentifier(record.id, afterVersion, limit)) };
  }

  /** @throws Problem NAMING_AUTHORITY_NOT_FOUND, or a syntax code. */
  async ofNamingAuthority(
    text: string,
    { afterVersion, limit, pointer }: HistoryPage,
    principal: Principal,
  ): Promise<History> {
    requirePrefix(text, pointer);
    const known =
      (await this.namingAuthorities.current()).find(text) ?? (await this.namingAuthorities.refresh()).find(text);
    if (known === undefined || !principal.canSee(known.prefix)) {
      throw new Problem('NAMING_AUTHORITY_NOT_FOUND', `The naming authority "${text}" does not exist.`);
    }
    return { of: known.prefix, ...(await this.changes.ofNamingAuthority(known.prefix, afterVersion, limit)) };
  }
}
