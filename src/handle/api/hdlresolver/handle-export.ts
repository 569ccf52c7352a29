import type { KeyValidity } from '../../../access/key-reads.js';
import type { Principal } from '../../../access/principal.js';
import { upperAscii } from '../../../registry/upper-ascii.js';
import type { NamingAuthority } from '../../../registry/naming-authority.js';
import type { IdentifierPages } from '../../../storage/identifiers/identifier-pages.js';
import type { PageCursor } from '../../../storage/identifiers/page-range.js';

/** Maximum number of records of a page; a page of large records has fewer. */
const PAGE = 500;

/** Reads all active Handles of a naming authority, a page at a time. */
export class HandleExport {
  constructor(
    private readonly identifiers: Pick<IdentifierPages, 'page'>,
    private readonly keys: Pick<KeyValidity, 'require'>,
  ) {}

  /**
   * Yields native texts (`NA/local`) in the order of minting, in upper case where the naming authority ignores case. No connection is held
   * between pages.
   * @param isWanted called before each statement.
   * @throws Problem UNAUTHENTICATED after the first page when the key is no longer valid, REQUEST_TIMEOUT when `isWanted` is false.
   */
  async *pages(
    { prefix, caseInsensitive }: NamingAuthority,
    principal: Principal,
    isWanted: () => boolean,
  ): AsyncGenerator<readonly string[], undefined> {
    let after: PageCursor | undefined;
    do {
      if (after !== undefined) await this.keys.require(principal);
      const filter = { namingAuthority: prefix, state: 'active' } as const;
      const { records, next } = await this.identifiers.page(filter, { limit: PAGE, after, isWanted });
      after = next ?? undefined;
      const names = records.map(({ localName }) => `${prefix}/${localName}`);
      yield caseInsensitive ? names.map(upperAscii) : names;
    } while (after !== undefined);
    return undefined;
  }
}
