import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { KeyValidity } from '../../access/key-validity.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import type { PageCursor } from '../../storage/identifiers/page-query.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { type IdentifierFilter, parseFilter } from '../representation/parse-filter.js';

const PAGE = 500;

@Injectable()
export class ExportService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly authorities: NamingAuthorityCache,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * The identifiers of a filter in order of minting. No connection is held between pages.
   * @throws Problem as `parseFilter`, before the first page; UNAUTHENTICATED later when the key is no longer valid.
   */
  async *pages(texts: IdentifierFilter, principal: Principal): AsyncGenerator<readonly IdentifierRecord[], undefined> {
    const filter = parseFilter(texts, await this.authorities.current(), principal);
    let after: PageCursor | undefined;
    let size = PAGE;
    do {
      if (after !== undefined) await this.keys.require(principal);
      const { records, hasNext } = await this.reader.page(filter, size, after);
      after = hasNext ? records.at(-1) : undefined;
      // After a page of large records, the next statement measures fewer of them.
      size = Math.min(PAGE, 2 * records.length);
      yield records;
    } while (after !== undefined);
    return undefined;
  }
}
