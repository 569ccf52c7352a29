import { IsCursor } from '../../http/validation/page-query.dto.js';
import { DEFAULT_PAGE_LIMIT, IsPageLimit } from '../../http/validation/pagination.js';
import { IdentifierDto } from '../representation/identifier.dto.js';
import { IdentifierFilterDto } from '../representation/identifier-filter.dto.js';

/** The filter and the page of a list. */
export class ListQueryDto extends IdentifierFilterDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /** The cursor of the page: `next` of the previous page. */
  @IsCursor()
  cursor?: string;
}

/** One page of identifiers in order of minting. */
export class IdentifierPageDto {
  /** The identifiers, in order of minting. */
  items: IdentifierDto[];

  /**
   * The `cursor` of the next page; null on the last one.
   * @example null
   */
  next: string | null;
}
