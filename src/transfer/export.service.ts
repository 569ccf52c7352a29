import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import type { PagePlace } from '../record/page-query.js';
import { readSelection } from '../selection/read-selection.js';
import type { SelectionDto } from '../selection/selection.dto.js';
import { lineOf } from './transfer-line.js';
import type { TransferLineDto } from './transfer-line.dto.js';

/** Records that are read at once. */
const PAGE = 500;

/** Reads what is to be exported. */
@Injectable()
export class ExportService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorities,
  ) {}

  /**
   * The identifiers of a selection in order of minting, a page whenever one is asked for. No connection is held between
   * two pages.
   * @throws Problem as `readSelection` does, before the first page.
   */
  async *pages(selection: SelectionDto, caller: Caller): AsyncGenerator<TransferLineDto[], undefined> {
    const filter = readSelection(selection, await this.authorities.current(), caller);
    let after: PagePlace | undefined;
    do {
      const records = await this.reader.page(filter, PAGE, after);
      after = records.length === PAGE ? records.at(-1) : undefined;
      yield records.map((record) => lineOf(record));
    } while (after !== undefined);
    return undefined;
  }
}
