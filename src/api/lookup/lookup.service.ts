import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { Cursors } from '../../http/validation/cursor.js';
import type { CordraId } from '../../identifier/index.js';
import { Metrics } from '../../metrics/metrics.js';
import { resolveIdentifier } from '../../registry/resolve-identifier.js';
import { CoalescedReader } from '../../storage/identifiers/coalesced-reader.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import type { PageFilter, PageCursor } from '../../storage/identifiers/page-query.js';
import { parseFilter } from '../representation/parse-filter.js';
import type { ListQueryDto } from './list-query.dto.js';

/** A record, with the query and fragment of the request, which do not identify another record. */
export interface Found {
  readonly record: IdentifierRecord;
  readonly uriParts: Pick<CordraId, 'query' | 'fragment'>;
}

@Injectable()
export class LookupService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly finder: CoalescedReader,
    private readonly authorities: NamingAuthorityCache,
    private readonly cursors: Cursors,
    metrics: Metrics,
  ) {
    metrics.queueDepth('lookups', () => this.finder.depth);
  }

  /**
   * @param text the identifier in any form.
   * @throws Problem IDENTIFIER_NOT_FOUND, also for a hidden one, or a syntax code.
   */
  async find(text: string, principal: Principal): Promise<Found> {
    const { record, name } = await this.authorities.lookUp(text, (known) =>
      resolveIdentifier(text, principal.viewOf(known), this.finder),
    );
    const uriParts = name.type === 'cordra' ? name : { query: null, fragment: null };
    return { record, uriParts };
  }

  /** @throws Problem INVALID_CURSOR, or a syntax code. */
  async page(query: ListQueryDto, principal: Principal): Promise<{ records: IdentifierRecord[]; next: string | null }> {
    const { limit, cursor } = query;
    const filter = parseFilter(query, await this.authorities.current(), principal);
    // Decoded first: an invalid cursor is rejected whatever the filter selects.
    const after = cursor === undefined ? undefined : this.positionOf(cursor);
    const few = await this.describedByOne(filter, query);
    if (few !== null) return { records: few, next: null };
    // One more than the page size shows whether there is a next page.
    const found = await this.reader.page(filter, limit + 1, after);
    const records = found.slice(0, limit);
    const last = records.at(-1);
    return { records, next: found.length > limit && last !== undefined ? this.cursorAfter(last) : null };
  }

  private cursorAfter({ createdAt, id }: PageCursor): string {
    return this.cursors.write('identifiers', [BigInt(createdAt.getTime()), id]);
  }

  private positionOf(cursor: string): PageCursor {
    const [time = 0n, id = 0n] = this.cursors.read('identifiers', 2, cursor).numbers;
    return { createdAt: new Date(Number(time)), id };
  }

  /** The complete list of one metadata ID, the most frequent list query; null for any other list. */
  private async describedByOne(
    filter: PageFilter,
    { limit, cursor }: ListQueryDto,
  ): Promise<IdentifierRecord[] | null> {
    const { metadataKey, ...others } = filter;
    const isAlone = Object.values(others).every((value) => value === undefined);
    if (metadataKey === undefined || !isAlone || cursor !== undefined) return null;
    const few = await this.finder.findByMetadataId(metadataKey);
    return few === null || few.length > limit ? null : few;
  }
}
