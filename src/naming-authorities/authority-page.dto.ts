import { IsString, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { DEFAULT_PAGE_LIMIT, IsPageLimit } from '../http/page-limit.js';

/** Which page is wanted. */
export class AuthorityPageQueryDto {
  /** How many to answer at most. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /**
   * Where the page starts: `next` of the page before.
   * @example "MTAwLjEwMg"
   */
  @MayBeAbsent()
  @MaxLength(340)
  @IsString()
  cursor?: string;
}
