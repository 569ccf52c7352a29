import { IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { DEFAULT_PAGE_LIMIT, IsPageLimit } from '../http/page-limit.js';
import { IdentifierDto } from '../record/identifier.dto.js';
import { SelectionDto } from '../selection/selection.dto.js';

/** What the listed identifiers have in common, and which page of them is wanted. */
export class ListQueryDto extends SelectionDto {
  /** How many to answer at most. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /**
   * Where the page starts: `next` of the page before.
   * @example "MTAyNA"
   */
  @MayBeAbsent()
  @MaxLength(64)
  @IsString()
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
