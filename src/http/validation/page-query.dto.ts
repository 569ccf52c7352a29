import { applyDecorators } from '@nestjs/common';
import { IsString, MaxLength } from 'class-validator';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_CURSOR_LENGTH } from './cursor.js';
import { Optional } from './optional.js';
import { DEFAULT_PAGE_LIMIT, IsPageLimit } from './pagination.js';

/** The cursor of a query. */
export const IsCursor = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(MAX_CURSOR_LENGTH),
    Optional(),
    ApiProperty({
      maxLength: MAX_CURSOR_LENGTH,
      required: false,
      example: 'q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa',
    }),
  );

/** The requested page of a list. */
export class PageQueryDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /** The cursor of the page: `next` of the previous page. */
  @IsCursor()
  cursor?: string;
}
