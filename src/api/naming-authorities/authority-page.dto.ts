import { IsString, MaxLength } from 'class-validator';
import { MAX_CURSOR_LENGTH } from '../../http/validation/cursor.js';
import { Optional } from '../../http/validation/optional.js';
import { DEFAULT_PAGE_LIMIT, IsPageLimit } from '../../http/validation/pagination.js';

/** The requested page. */
export class AuthorityPageQueryDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /**
   * The cursor of the page: `next` of the previous page.
   * @example "q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa"
   */
  @Optional()
  @MaxLength(MAX_CURSOR_LENGTH)
  @IsString()
  cursor?: string;
}
