import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import type { CordraId } from '../identifier/index.js';
import { Metrics } from '../metrics/metrics.js';
import { findRegistered } from '../record/find-registered.js';
import { IdentifierFinder } from '../record/identifier-finder.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import type { IdentifierRecord } from '../record/identifier-record.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import type { PageFilter } from '../record/page-query.js';
import { readSelection } from '../selection/read-selection.js';
import { cursorAfter, readCursor } from './cursor.js';
import type { ListQueryDto } from './list-query.dto.js';

/** A record, and the query and fragment of the identifier it was asked by, which name no other record. */
export interface Found {
  readonly record: IdentifierRecord;
  readonly asked: Pick<CordraId, 'query' | 'fragment'>;
}

/** Finds registered identifiers by any spelling of them or of what they carry. */
@Injectable()
export class LookupService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly finder: IdentifierFinder,
    private readonly authorities: NamingAuthorities,
    metrics: Metrics,
  ) {
    metrics.queueDepth('lookups', () => this.finder.depth);
  }

  /**
   * @param text the identifier in any form.
   * @throws Problem IDENTIFIER_NOT_FOUND, also for what is hidden from the caller, or a syntax code when it is malformed.
   */
  async find(text: string, caller: Caller): Promise<Found> {
    const { record, name } = await this.authorities.lookUp((known) =>
      findRegistered(text, known, this.finder, (prefix) => caller.sees(prefix)),
    );
    const asked = name.type === 'cordra' ? name : { query: null, fragment: null };
    return { record, asked };
  }

  /** @throws Problem INVALID_CURSOR, or a syntax code when an identifier of the query is malformed. */
  async page(query: ListQueryDto, caller: Caller): Promise<{ records: IdentifierRecord[]; next: string | null }> {
    const { limit, cursor } = query;
    const filter = readSelection(query, await this.authorities.current(), caller);
    const few = await this.describedByOne(filter, query);
    if (few !== null) return { records: few, next: null };
    // One more than asked for tells whether there is a next page.
    const found = await this.reader.page(filter, limit + 1, cursor === undefined ? undefined : readCursor(cursor));
    const records = found.slice(0, limit);
    const last = records.at(-1);
    return { records, next: found.length > limit && last !== undefined ? cursorAfter(last) : null };
  }

  /** The whole list of a metadata ID and nothing else, which is what curators ask for most; null for any other list. */
  private async describedByOne(
    filter: PageFilter,
    { limit, cursor }: ListQueryDto,
  ): Promise<IdentifierRecord[] | null> {
    const { metadataKey, ...others } = filter;
    const isAlone = Object.values(others).every((value) => value === undefined);
    if (metadataKey === undefined || !isAlone || cursor !== undefined) return null;
    const few = await this.finder.findDescribed(metadataKey);
    return few === null || few.length > limit ? null : few;
  }
}
