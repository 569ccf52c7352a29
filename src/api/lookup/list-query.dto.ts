import { IsCursor, DEFAULT_PAGE_LIMIT, IsPageLimit } from '../../http/validation/page-query.dto.js';
import { RejectsMembers } from '../../http/validation/request-validation.js';
import { IsQueryBoolean } from '../../http/validation/query-boolean.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { PAGE_ORDERS, type PageOrder } from '../../storage/identifiers/page-range.js';
import { CountDto, IdentifierFilterDto } from '../representation/identifier-filter.dto.js';
import { IdentifierDto } from '../representation/identifier.dto.js';
import { OptionalChoice } from '../../http/validation/described-members.js';

/** The error for a filter that no index serves. Only an export supports such a filter, because it reads all identifiers. */
const ONLY_EXPORTED = (name: string): string =>
  `"${name}" is a filter of GET /identifiers/export only, which reads all identifiers; a list reads few of them`;

/** The filter, the order and the page of a list. */
@RejectsMembers({ targetPrefix: ONLY_EXPORTED('targetPrefix'), changedBy: ONLY_EXPORTED('changedBy') })
export class ListQueryDto extends IdentifierFilterDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /** The cursor of the page: `next` of the previous page, which has the same `sort`. */
  @IsCursor()
  cursor?: string;

  /** The order: by time of minting, oldest first, or newest first with `-createdAt`. */
  @OptionalChoice(
    PAGE_ORDERS,
    { default: 'createdAt' },
    'sort must be createdAt or -createdAt; identifiers have no index of another order',
  )
  sort: PageOrder = 'createdAt';

  /** Whether the response has `total`, the number of identifiers on all pages. */
  @IsQueryBoolean(true)
  total?: boolean;
}

/** One page of identifiers. */
export class IdentifierPageDto {
  /** The identifiers, in the requested order. */
  items: IdentifierDto[];

  /** The `cursor` of the next page; null on the last page. */
  next: string | null;

  /** The number of identifiers on all pages; present if the request has `total=true`. */
  @ApiProperty({ required: false })
  total?: CountDto;
}
