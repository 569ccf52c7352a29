import { Injectable } from '@nestjs/common';
import { type Principal, requireActors } from '../access/principal.js';
import { KeyValidity } from '../access/key-reads.js';
import { IdentifierPages } from '../storage/identifiers/identifier-pages.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import type { PageCursor } from '../storage/identifiers/page-range.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { type IdentifierFilter, parseFilter } from '../finding/parse-filter.js';

const PAGE = 500;

/** The filter of an export. Lists do not offer `targetPrefix` and `changedBy`, which no index serves. */
export interface ExportFilter extends IdentifierFilter {
  /** The start of the target, as stored. */
  readonly targetPrefix?: string;
  /** A client that made a change after the creation of the identifier. */
  readonly changedBy?: string;
}

@Injectable()
export class ExportService {
  constructor(
    private readonly identifiers: IdentifierPages,
    private readonly authorities: NamingAuthorityCache,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Yields the matching identifiers in order of minting. Pages can be empty. No connection is held between pages.
   * @throws Problem as `parseFilter`; UNAUTHENTICATED or SCOPE_MISSING for `changedBy` without the right to see who changes identifiers;
   * after the first page also UNAUTHENTICATED if the key is no longer valid, and REQUEST_TIMEOUT if `isWanted` returns false.
   */
  async *pages(
    { targetPrefix, changedBy, ...texts }: ExportFilter,
    principal: Principal,
    isWanted: () => boolean,
  ): AsyncGenerator<IdentifierRecord[], undefined> {
    if (changedBy !== undefined) requireActors(principal, 'changedBy');
    const parsed = parseFilter(texts, await this.authorities.current(), principal);
    const filter = { ...parsed, targetPrefix, changedBy };
    let after: PageCursor | undefined;
    do {
      if (after !== undefined) await this.keys.require(principal);
      const { records, next } = await this.identifiers.page(filter, { limit: PAGE, after, isWanted });
      after = next ?? undefined;
      yield records;
    } while (after !== undefined);
    return undefined;
  }
}
